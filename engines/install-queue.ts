import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { waitForLock, type FileLock } from './file-lock.ts'

export type Installation = {
  /** Lowest first. */
  rank: number
  cacheDir: string
  /** Two of one name are never installed at once: the second finds what the first has made. */
  name: string
  say: (line: string) => void
}

type Job = { name: string; rank: number; run: () => Promise<void> }

/**
 * How many at once. A compiler leaves cores idle while it fetches modules and while it links;
 * a second one uses them. Each may take some GiB when it links.
 */
const places = availableParallelism() > 1 && totalmem() > 6 * 1024 ** 3 ? 2 : 1

const waiting: Job[] = []
const running = new Set<string>()

/**
 * At most two installations at once in this process, the lowest rank first; between processes
 * only those of whoever holds the lock.
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

/** By path: one lock for all installations of this process, however many are under way. */
const locks = new Map<string, { lock: Promise<FileLock>; holders: number }>()

async function withLock<T>({ cacheDir, say }: Installation, work: () => Promise<T>): Promise<T> {
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
    if (held.holders === 0) {
      locks.delete(path)
      await held.lock.then(
        (lock) => lock.release(),
        () => undefined,
      )
    }
  }
}
