import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export type Kills = {
  counts: Record<string, number>
  /**
   * The times at which the worker or one of its descendants was killed, which a run may have
   * needed.
   */
  ofRuns: number[]
  stop(): Promise<void>
}

const pauseMs = { least: 4_000, most: 12_000 }

/**
 * Sends `kill -9` at random moments to the API, the worker, or a random process below the worker (a
 * runner, a step of the sandbox). The supervisor restarts the API and the worker.
 */
export function killAtRandom(pids: () => Record<string, number>): Kills {
  const counts: Record<string, number> = {}
  const ofRuns: number[] = []
  let over = false
  const one = () => {
    const { api = 0, worker = 0 } = pids()
    const below = processesBelow(worker)
    // Chooses the kind first, because there are many processes below the worker, and each kind must
    // be hit often.
    const kinds: Array<Array<[string, number]>> = [
      [['api', api]],
      [['worker', worker]],
      below,
      below,
      below,
    ]
    const [name, pid] = oneOf(oneOf(kinds) ?? []) ?? ['', 0]
    // A part that is being restarted has no process.
    if (pid <= 1) return
    try {
      process.kill(pid, 'SIGKILL')
      counts[name] = (counts[name] ?? 0) + 1
      if (name !== 'api') ofRuns.push(Date.now())
    } catch {
      // The process has already ended.
    }
  }
  const loop = (async () => {
    while (!over) {
      await sleep(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least))
      if (!over) one()
    }
  })()
  return {
    counts,
    ofRuns,
    async stop() {
      over = true
      await loop
    },
  }
}

const oneOf = <T>(list: readonly T[]): T | undefined =>
  list[Math.floor(Math.random() * list.length)]

export function processesBelow(root: number): Array<[string, number]> {
  const rows = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
        const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))
        return [{ pid: Number(pid), parent: Number(fields[1]), name }]
      } catch {
        // The process has ended since it was listed.
        return []
      }
    })
  const below = (parent: number): Array<[string, number]> =>
    rows
      .filter((row) => row.parent === parent)
      .flatMap(({ name, pid }) => [[name, pid] as [string, number], ...below(pid)])
  return root > 1 ? below(root) : []
}
