import { readdirSync, readFileSync } from 'node:fs'

/** The most memory that a process of the reader's program, and this process's heap, had meanwhile. */
export function watchMemory(): () => { readerBytes: number; heapBytes: number } {
  const start = process.memoryUsage().heapUsed
  let readerBytes = 0
  let heapBytes = 0
  const timer = setInterval(() => {
    heapBytes = Math.max(heapBytes, process.memoryUsage().heapUsed - start)
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      if (!textOf(`/proc/${pid}/cmdline`).startsWith('/engine/node')) continue
      const peak = /^VmHWM:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`))?.[1]
      readerBytes = Math.max(readerBytes, Number(peak ?? 0) * 1_024)
    }
  }, 50)
  return () => {
    clearInterval(timer)
    return { readerBytes, heapBytes }
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
