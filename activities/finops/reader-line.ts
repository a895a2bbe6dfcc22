export type ReaderLine = {
  /**
   * Waits until fewer than `atOnce` turns are under way. Those with `first` go before the others, and among themselves
   * in the order of arrival. The caller ends its turn. Rejects once `signal` is aborted.
   */
  turn(signal: AbortSignal, order: { first: boolean }): Promise<() => void>
}

export function createReaderLine(atOnce: number): ReaderLine {
  let running = 0
  const short = new Set<() => void>()
  const long = new Set<() => void>()

  /** Hands the place over to the one that is next. */
  function end(): void {
    const [next] = [...short, ...long]
    if (next) next()
    else running -= 1
  }

  return {
    async turn(signal, { first }) {
      signal.throwIfAborted()
      if (running < atOnce) running += 1
      else await handedOver(first ? short : long, signal)
      let isOver = false
      return () => {
        if (!isOver) end()
        isOver = true
      }
    },
  }
}

function handedOver(line: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      line.delete(begin)
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      line.delete(begin)
      reject(signal.reason as Error)
    }
    line.add(begin)
    signal.addEventListener('abort', giveUp, { once: true })
  })
}
