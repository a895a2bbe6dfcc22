import { appendFile } from 'node:fs'
import { join } from 'node:path'
import { benchConfig } from '../config.ts'

/**
 * Loaded into the API and the worker before their own code (`--import`). A timer fires every ten
 * milliseconds. Its delay is the time for which the event loop was blocked, by the process's own
 * work or by a host without a free processor. The thread's CPU time distinguishes the two. Each
 * half second it writes a line of pairs in milliseconds: delay, CPU time.
 */
const everyMs = 10
const linesEveryMs = 500

const folder = benchConfig.loopFolder
if (folder) {
  const file = join(folder, String(process.pid))
  let [last, lastCpu] = [performance.now(), cpuMs()]
  let seen: string[] = []
  setInterval(() => {
    const [now, cpu] = [performance.now(), cpuMs()]
    seen.push(`${Math.max(0, now - last - everyMs).toFixed(1)},${(cpu - lastCpu).toFixed(1)}`)
    last = now
    lastCpu = cpu
  }, everyMs).unref()
  setInterval(() => {
    // A failed write leaves the file without data, which the bench reports.
    appendFile(file, `${seen.join(' ')}\n`, () => undefined)
    seen = []
  }, linesEveryMs).unref()
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
