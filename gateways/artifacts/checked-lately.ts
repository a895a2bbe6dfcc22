/**
 * Which stored files were checked as a whole lately, by what changes with each write to them. A range could
 * otherwise not be checked without reading the whole file for it, and who asks for single bytes of a large
 * file would cost its hash each time.
 */
export type CheckedLately = {
  has(key: string, identity: string): boolean
  note(key: string, identity: string): void
}

/** A disk can lose bits without a write. */
const forMs = 3_600_000
const most = 1_000

export function createCheckedLately(): CheckedLately {
  const known = new Map<string, { identity: string; at: number }>()
  return {
    has(key, identity) {
      const one = known.get(key)
      return one?.identity === identity && performance.now() - one.at < forMs
    },
    note(key, identity) {
      known.delete(key)
      known.set(key, { identity, at: performance.now() })
      const [oldest] = known.keys()
      if (known.size > most && oldest !== undefined) known.delete(oldest)
    },
  }
}
