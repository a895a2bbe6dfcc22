import { startRunner, type Runner, type RunnerOptions } from './start-runner.ts'

export type RunnerPool = {
  /** A runner that has done nothing yet, for one job. */
  take(): Runner
  close(): Promise<void>
}

/**
 * Runners, each for one job. One is started ahead, so that its start is not in a run's time; it
 * knows nothing of any tenant. The next is started when a job has ended, not while it begins.
 */
export function runnerPool(options: RunnerOptions): RunnerPool {
  const alive = new Set<Runner>()
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

  return {
    take() {
      const runner = spare ?? start()
      spare = undefined
      return runner
    },
    async close() {
      closed = true
      for (const runner of alive) runner.kill()
      await Promise.all([...alive].map((runner) => runner.ended))
    },
  }
}
