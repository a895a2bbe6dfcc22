import { startRunner, type Runner, type RunnerOptions } from './start-runner.ts'

export type RunOfRunner = { organizationId: number; workspaceRunId: number }

export type RunnerPool = {
  /** The runner that was kept for this run, else one that has done nothing yet; without a run always that. */
  take(run?: RunOfRunner): Runner
  /** Keeps a runner that has done a job of this run for the run's next job, which may be soon. */
  keep(runner: Runner, run: RunOfRunner): Promise<void>
  close(): Promise<void>
}

/** A plan that nobody has to approve is followed by its apply at once. */
const keepMs = 5_000
const keepAtMost = 4
/** One that has grown is ended: what is left of a large plan would count as the apply's memory. */
const keepBelowBytes = 192 * 1024 ** 2

/**
 * Runners, each for one run. One is started ahead, so that its start is not in a run's time; it
 * knows nothing of any tenant. The next is started when a runner has ended, not while a job begins.
 */
export function runnerPool(options: RunnerOptions): RunnerPool {
  const alive = new Set<Runner>()
  const kept = new Map<string, Runner>()
  let spare: Runner | undefined
  let closed = false

  const start = (): Runner => {
    const runner = startRunner(options)
    alive.add(runner)
    void runner.ended.then(() => {
      alive.delete(runner)
      if (spare === runner) spare = undefined
      else prepare()
    })
    return runner
  }
  const prepare = () => {
    if (closed) return
    try {
      spare ??= start()
    } catch {
      // The next that is taken is started then, and says why it cannot be.
    }
  }
  prepare()
  /** Ends one that was kept, unless its run has taken it meanwhile. */
  const drop = (key: string, runner: Runner) => {
    if (kept.get(key) !== runner) return
    kept.delete(key)
    runner.kill()
  }

  return {
    take(run) {
      const own = run && kept.get(keyOf(run))
      if (run) kept.delete(keyOf(run))
      if (own && alive.has(own)) return own
      const runner = spare ?? start()
      spare = undefined
      return runner
    },
    async keep(runner, run) {
      const bytes = await runner.memory()
      if (closed || bytes === 0 || bytes > keepBelowBytes) return runner.kill()
      const key = keyOf(run)
      kept.get(key)?.kill()
      kept.set(key, runner)
      const [oldest] = kept
      if (kept.size > keepAtMost && oldest) drop(...oldest)
      setTimeout(() => drop(key, runner), keepMs).unref()
    },
    async close() {
      closed = true
      for (const runner of alive) runner.kill()
      await Promise.all([...alive].map((runner) => runner.ended))
    },
  }
}

const keyOf = ({ organizationId, workspaceRunId }: RunOfRunner): string =>
  `${organizationId}/${workspaceRunId}`
