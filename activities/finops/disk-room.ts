/** Room for the files of the bills that a worker fetches and reads. */
export type DiskRoom = {
  /** `bytes` are in the folder from an attempt before. */
  hold(folder: string, bytes: number): HeldRoom
  /** The folder of an attempt that is over was removed. */
  forget(folder: string): void
}

export type HeldRoom = {
  /** Below 0 where files were removed. */
  add(bytes: number): void
  /**
   * Waits until a bill may write more: while there is room, or if it holds the most of all. So one bill always goes
   * on, and a storage that hardly sends anything, whose bill holds little, is not the one that others wait for.
   */
  wait(signal: AbortSignal): Promise<void>
  /** The files stay for the next attempt: they take room, and nobody waits for them to grow. */
  leave(): void
  /** The files are gone. */
  release(): void
}

type Held = { bytes: number }

export function createDiskRoom(maxBytes: number): DiskRoom {
  const all = new Set<Held>()
  /** By folder. */
  const left = new Map<string, number>()
  const waiting = new Set<() => void>()
  const isFull = (): boolean => {
    let bytes = 0
    for (const held of all) bytes += held.bytes
    for (const ofFolder of left.values()) bytes += ofFolder
    return bytes >= maxBytes
  }
  /** Of two with as much, the one that began first. One that waits for its next attempt cannot go on, so it is none. */
  const largest = (): Held | undefined => {
    let found: Held | undefined
    for (const held of all) if (!found || held.bytes > found.bytes) found = held
    return found
  }
  const wakeAll = () => {
    for (const wake of waiting) wake()
  }

  return {
    hold(folder, bytes) {
      const own = { bytes }
      left.delete(folder)
      all.add(own)
      return {
        add(more) {
          own.bytes += more
          if (more < 0) wakeAll()
        },
        async wait(signal) {
          // Only a bill that ends, or begins its files anew, can let another one go on.
          while (isFull() && largest() !== own) await nextRelease(waiting, signal)
        },
        leave() {
          if (all.delete(own)) left.set(folder, own.bytes)
          wakeAll()
        },
        release() {
          all.delete(own)
          wakeAll()
        },
      }
    },
    forget(folder) {
      if (left.delete(folder)) wakeAll()
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
