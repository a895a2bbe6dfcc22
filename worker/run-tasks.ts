import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RowsFailed } from '../app/platform/each-by-itself.ts'
import { Counter, Gauge, type Registry } from 'prom-client'

/** What a worker does again and again without being asked. */
export type RecurringTask = {
  /** Names it in logs and metrics. */
  name: string
  /** From the end of one run to the start of the next. */
  everyMs: number
  /** `more`: it was bounded and there is more to do, so the next run follows at once. */
  run: () => Promise<'done' | 'more'>
}

export type RunningTasks = { stop(): Promise<void> }

/** A task that runs once in hours is not left undone for as long by one failure. */
const retryMs = 10_000
/** How long runs that are under way (some ask other hosts) hold a worker that stops, at most. */
const stopMs = 2_000

/**
 * Runs each task in a loop of its own, so that a slow one (a name server, a flood of old rows) does
 * not delay another. Every worker runs every task: what a task writes is a compare-and-swap, so
 * several at one moment do a thing once. The pauses differ a little, so that workers which were
 * started together do not ask together.
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

/** Labels are names of tasks: no organization, no id. */
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
    /** From the start at 0: an alert on a task that never ran needs its line. */
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
