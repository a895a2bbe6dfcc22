/**
 * Which stored files were checked as a whole lately, by what changes with each write to them. A range could
 * otherwise not be checked without reading the whole file for it, and who asks for single bytes of a large
 * file would cost its hash each time.
 */
export type CheckedLately = {
  /**
   * Checks a file that was not checked lately. All who ask while a check runs wait for that one, and share its
   * fault; the next who asks after a fault checks again.
   */
  once(key: string, identity: string, check: () => Promise<void>): Promise<void>
}

/** A disk can lose bits without a write. */
const forMs = 3_600_000
const most = 1_000

export function createCheckedLately(): CheckedLately {
  const known = new Map<string, { identity: string; at: number }>()
  const running = new Map<string, Promise<void>>()

  const has = (key: string, identity: string): boolean => {
    const one = known.get(key)
    return one?.identity === identity && performance.now() - one.at < forMs
  }
  const note = (key: string, identity: string): void => {
    known.delete(key)
    known.set(key, { identity, at: performance.now() })
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
  }
  const checkAndNote = async (key: string, identity: string, check: () => Promise<void>) => {
    await check()
    note(key, identity)
  }

  return {
    async once(key, identity, check) {
      if (has(key, identity)) return
      const name = JSON.stringify([key, identity])
      const before = running.get(name)
      if (before) return before
      const one = checkAndNote(key, identity, check).finally(() => running.delete(name))
      running.set(name, one)
      return one
    },
  }
}
