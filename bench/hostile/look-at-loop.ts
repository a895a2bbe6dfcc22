import { appendFile } from 'node:fs'
import { join } from 'node:path'
import { benchConfig } from '../config.ts'

/**
 * Loaded into API and worker ahead of their own code (`--import`). Ten milliseconds after each look
 * is the next: how much later it is, is how long the event loop was held up, by its own work or by a
 * host whose processors are taken. The thread's own CPU time of each look tells the one from the
 * other. A line each half second, of pairs in milliseconds: lateness, CPU.
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
    // What cannot be written is not there to be read, which the bench says.
    appendFile(file, `${seen.join(' ')}\n`, () => undefined)
    seen = []
  }, linesEveryMs).unref()
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
