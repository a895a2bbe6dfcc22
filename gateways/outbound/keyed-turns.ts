export interface KeyedTurns {
  /** Waits until fewer than `atOnce` turns of this key are under way. The caller ends its turn. */
  turn(key: string, signal: AbortSignal): Promise<() => void>
}

/** Turns by key, in the order of the callers. A key takes no turn from another one. */
export function createKeyedTurns(atOnce: number): KeyedTurns {
  const lines = new Map<string, Line>()
  return {
    async turn(key, signal) {
      signal.throwIfAborted()
      const line = lines.get(key) ?? { running: 0, waiting: [] }
      lines.set(key, line)
      if (line.running < atOnce) line.running += 1
      else await handedOver(line, signal)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        const next = line.waiting.shift()
        if (next) return next()
        line.running -= 1
        if (line.running === 0) lines.delete(key)
      }
    },
  }
}

type Line = { running: number; waiting: Array<() => void> }

/** Waits until a turn that ends hands its place over. */
function handedOver(line: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      line.waiting.splice(line.waiting.indexOf(begin), 1)
      reject(new Error('aborted'))
    }
    line.waiting.push(begin)
    signal.addEventListener('abort', giveUp, { once: true })
  })
}
