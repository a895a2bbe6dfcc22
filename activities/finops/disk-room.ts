/** Room for the files of the bills that a worker fetches and reads. */
export type DiskRoom = {
  /** `bytes` are there from an attempt before. */
  hold(bytes: number): HeldRoom
}

export type HeldRoom = {
  add(bytes: number): void
  /**
   * Waits until a bill may write more: while there is room, or if it holds the most of all. So one bill always goes
   * on, and a storage that hardly sends anything, whose bill holds little, is not the one that others wait for.
   */
  wait(signal: AbortSignal): Promise<void>
  release(): void
}

type Held = { bytes: number }

export function createDiskRoom(maxBytes: number): DiskRoom {
  const all = new Set<Held>()
  const waiting = new Set<() => void>()
  const isFull = (): boolean => {
    let bytes = 0
    for (const held of all) bytes += held.bytes
    return bytes >= maxBytes
  }
  /** Of two with as much, the one that began first. */
  const largest = (): Held | undefined => {
    let found: Held | undefined
    for (const held of all) if (!found || held.bytes > found.bytes) found = held
    return found
  }

  return {
    hold(bytes) {
      const own = { bytes }
      all.add(own)
      return {
        add: (more) => void (own.bytes += more),
        async wait(signal) {
          // Only a bill that ends can let another one go on.
          while (isFull() && largest() !== own) await nextRelease(waiting, signal)
        },
        release() {
          all.delete(own)
          for (const wake of waiting) wake()
        },
      }
    },
  }
}

async function nextRelease(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const wake = () => resolve(undefined)
  const giveUp = () => reject(signal.reason as Error)
  waiting.add(wake)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await promise
  } finally {
    waiting.delete(wake)
    signal.removeEventListener('abort', giveUp)
  }
}
