/** A semaphore: lets a number of tasks run at once, the others wait in order. */
export type Gate = <Value>(work: () => Promise<Value>) => Promise<Value>

export function createGate(size: number): Gate {
  const waiting: Array<() => void> = []
  let free = size
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
