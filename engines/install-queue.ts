import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { waitForLock, type FileLock } from './file-lock.ts'

export type Installation = {
  /** The priority; the lowest rank is installed first. */
  rank: number
  cacheDir: string
  /** Installations with the same name run one after the other, so that the second finds the first's result. */
  name: string
  say: (line: string) => void
  /** Called after the last installation of this process, while no other process can install. */
  afterLast?: () => Promise<void>
}

type Job = { name: string; rank: number; run: () => Promise<void> }

/**
 * The number of parallel installations. A compiler leaves cores idle while it downloads modules and
 * links, and a second one uses them. Linking takes up to some GiB of memory each.
 */
const places = availableParallelism() > 1 && totalmem() > 6 * 1024 ** 3 ? 2 : 1

const waiting: Job[] = []
const running = new Set<string>()

/**
 * Runs at most two installations at once in this process, the lowest rank first. A file lock prevents
 * installations of several processes at once.
 */
export function inInstallQueue<T>(options: Installation, work: () => Promise<T>): Promise<T> {
  const { name, rank } = options
  return new Promise((resolve, reject) => {
    waiting.push({
      name,
      rank,
      run: async () => withLock(options, work).then(resolve, reject),
    })
    next()
  })
}

function next(): void {
  waiting.sort((a, b) => a.rank - b.rank)
  while (running.size < places) {
    const at = waiting.findIndex(({ name }) => !running.has(name))
    const [job] = at < 0 ? [] : waiting.splice(at, 1)
    if (!job) return
    running.add(job.name)
    void job.run().finally(() => {
      running.delete(job.name)
      next()
    })
  }
}

/** By path: the installations of this process share one lock, which the last one releases. */
const locks = new Map<string, { lock: Promise<FileLock>; holders: number }>()

async function withLock<T>(options: Installation, work: () => Promise<T>): Promise<T> {
  const { cacheDir, say, afterLast } = options
  const path = join(cacheDir, 'install.lock')
  const held = locks.get(path) ?? {
    lock: waitForLock(path, () => say('engines: another start is installing, waiting for it')),
    holders: 0,
  }
  locks.set(path, held)
  held.holders += 1
  try {
    await held.lock
    return await work()
  } finally {
    held.holders -= 1
    // An installation that begins during the removal waits for the lock anew.
    if (held.holders === 0) {
      locks.delete(path)
      await held.lock.then(
        async (lock) => {
          if (waiting.length === 0) await afterLast?.().catch(() => undefined)
          lock.release()
        },
        () => undefined,
      )
    }
  }
}
