import { join } from 'node:path'
import { waitForLock } from './file-lock.ts'

type Job = { rank: number; run: () => Promise<void> }

const waiting: Job[] = []
let running = false

/**
 * One installation at a time: in this process the lowest rank first, between processes whoever
 * holds the lock. Two compilers at once would only take each other's processor.
 */
export function inInstallQueue<T>(
  options: { rank: number; cacheDir: string; say: (line: string) => void },
  work: () => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.push({
      rank: options.rank,
      run: async () => {
        try {
          const lock = await waitForLock(join(options.cacheDir, 'install.lock'), () =>
            options.say('engines: another start is installing, waiting for it'),
          )
          try {
            resolve(await work())
          } finally {
            lock.release()
          }
        } catch (error) {
          reject(error)
        }
      },
    })
    // Callers of the same tick have all queued before the first is chosen.
    queueMicrotask(() => void drain())
  })
}

async function drain(): Promise<void> {
  if (running) return
  running = true
  try {
    for (;;) {
      waiting.sort((a, b) => a.rank - b.rank)
      const job = waiting.shift()
      if (!job) return
      await job.run()
    }
  } finally {
    running = false
  }
}
