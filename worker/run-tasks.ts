import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RowsFailed } from '../app/platform/each-by-itself.ts'
import { Counter, Gauge, type Registry } from 'prom-client'

/** A task that every worker repeats, apart from Temporal. */
export type RecurringTask = {
  /** The name in logs and metrics. */
  name: string
  /** The pause between the end of one run and the start of the next. */
  everyMs: number
  /** `more`: the run reached its limit and rows are left, so the next run follows at once. */
  run: () => Promise<'done' | 'more'>
}

export type RunningTasks = { stop(): Promise<void> }

/** The longest pause after a failure, so that a task with a pause of hours is retried soon. */
const retryMs = 10_000
/** How long a stopping worker waits for current runs at most: some of them wait for other hosts. */
const stopMs = 2_000

/**
 * Runs each task in its own loop, so that a slow task (a slow name server, many old rows) does not
 * delay the others. Every worker runs every task: tasks write by compare-and-swap, so concurrent runs
 * have the same effect as one. The pauses vary by 10 %, so that workers that were started together do
 * not query the database together.
 */
export function startTasks(
  tasks: readonly RecurringTask[],
  { registry, log }: { registry: Registry; log: Logger },
): RunningTasks {
  const stopping = new AbortController()
  const report = reportTo(registry)

  const runOnce = async ({ name, run }: RecurringTask): Promise<'done' | 'more' | 'failed'> => {
    const end = report.start(name)
    try {
      const outcome = await run()
      end()
      return outcome
    } catch (error) {
      end('failed')
      if (error instanceof RowsFailed) report.addRows(name, error.rows)
      log.warn({ err: error, task: name }, 'a recurring task failed')
      return 'failed'
    }
  }
  const loop = async (task: RecurringTask) => {
    report.add(task.name)
    while (!stopping.signal.aborted) {
      const outcome = await runOnce(task)
      if (outcome === 'more') continue
      const waitMs = outcome === 'failed' ? Math.min(task.everyMs, retryMs) : task.everyMs
      const variedMs = waitMs * (0.9 + Math.random() / 5)
      await sleep(variedMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const running = Promise.all(tasks.map(async (task) => loop(task)))
  return {
    async stop() {
      stopping.abort()
      const patience = new AbortController()
      const patient = sleep(stopMs, undefined, { signal: patience.signal }).catch(() => undefined)
      await Promise.race([running, patient])
      patience.abort()
    },
  }
}

/** The metrics of the tasks. The only label is the task's name, never an organization or an id. */
function reportTo(registry: Registry) {
  const common = { labelNames: ['task'] as const, registers: [registry] }
  const lastRun = new Gauge({
    ...common,
    name: 'cc_task_last_run_timestamp_seconds',
    help: 'When the task last ended, in Unix time, 0 before its first run',
  })
  const duration = new Gauge({
    ...common,
    name: 'cc_task_duration_seconds',
    help: 'How long the last run of the task took',
  })
  const failures = new Counter({
    ...common,
    name: 'cc_task_failures_total',
    help: 'Runs of the task that failed',
  })
  const failedRows = new Counter({
    ...common,
    name: 'cc_task_failed_rows_total',
    help: 'Rows that the task could not handle, while it handled all others',
  })
  return {
    /** Sets the series to 0 at the start, so that an alert can detect a task that never ran. */
    add(task: string) {
      lastRun.set({ task }, 0)
      failures.inc({ task }, 0)
      failedRows.inc({ task }, 0)
    },
    addRows: (task: string, rows: number) => failedRows.inc({ task }, rows),
    start(task: string) {
      const startedMs = performance.now()
      return (how?: 'failed') => {
        lastRun.set({ task }, Date.now() / 1_000)
        duration.set({ task }, (performance.now() - startedMs) / 1_000)
        if (how === 'failed') failures.inc({ task })
      }
    },
  }
}
