import pino from 'pino'
import { Registry } from 'prom-client'
import { afterEach, expect, test } from 'vitest'
import { RowsFailed } from '../../app/platform/each-by-itself.ts'
import { serveMetrics } from '../../gateways/metrics/serve-metrics.ts'
import { startTasks, type RecurringTask, type RunningTasks } from '../../worker/run-tasks.ts'

const logged: string[] = []
const log = pino({}, { write: (line: string) => void logged.push(line) })
let running: RunningTasks | undefined
afterEach(async () => running?.stop())

function start(...tasks: RecurringTask[]) {
  const registry = new Registry()
  running = startTasks(tasks, { registry, log })
  return {
    tasks: running,
    value: async (metric: string, task: string) => {
      const text = await registry.metrics()
      const line = text.split('\n').find((one) => one.startsWith(`${metric}{task="${task}"}`))
      return line === undefined ? undefined : Number(line.split(' ').at(-1))
    },
    registry,
  }
}

const hour = 3_600_000

test('each run is reported: when, how long, and how many failed', async () => {
  const { value } = start(
    { name: 'well', everyMs: hour, run: async () => 'done' },
    {
      name: 'ill',
      everyMs: 1,
      run: async () => {
        throw new Error('no database')
      },
    },
  )
  await expect.poll(async () => value('cc_task_failures_total', 'ill')).toBeGreaterThan(1)
  expect(await value('cc_task_failed_rows_total', 'ill')).toBe(0)
  expect(await value('cc_task_failures_total', 'well')).toBe(0)
  const last = (await value('cc_task_last_run_timestamp_seconds', 'well')) ?? 0
  expect(Math.abs(Date.now() / 1_000 - last)).toBeLessThan(60)
  expect(await value('cc_task_duration_seconds', 'well')).toBeLessThan(60)
  expect(logged.some((line) => line.includes('"task":"ill"'))).toBe(true)
})

test('rows that failed while others were handled are counted, and the run has failed', async () => {
  const { value } = start({
    name: 'partly',
    everyMs: hour,
    run: async () => {
      throw new RowsFailed(3)
    },
  })
  await expect.poll(async () => value('cc_task_failures_total', 'partly')).toBe(1)
  expect(await value('cc_task_failed_rows_total', 'partly')).toBe(3)
})

test('a task that hangs is seen to have never ended, and delays no other', async () => {
  let runs = 0
  let free = () => {}
  const { tasks, value } = start(
    {
      name: 'hangs',
      everyMs: 1,
      run: async () => new Promise((resolve) => (free = () => resolve('done'))),
    },
    {
      name: 'goes-on',
      everyMs: 1,
      run: async () => {
        runs += 1
        return 'done'
      },
    },
  )
  await expect.poll(() => runs).toBeGreaterThan(2)
  expect(await value('cc_task_last_run_timestamp_seconds', 'hangs')).toBe(0)
  let stopped = false
  const stop = tasks.stop().then(() => (stopped = true))
  const after = runs
  expect(stopped).toBe(false)
  free()
  await stop
  expect(runs).toBeLessThanOrEqual(after + 1)
})

test('where there is more to do, the next run follows at once; else after the interval', async () => {
  let left = 5
  let runs = 0
  start({
    name: 'bounded',
    everyMs: hour,
    run: async () => {
      runs += 1
      left -= 1
      return left > 0 ? 'more' : 'done'
    },
  })
  await expect.poll(() => runs).toBe(5)
  await new Promise((resolve) => setImmediate(resolve))
  expect(runs).toBe(5)
})

test('a pause ends with the task, and a run that hangs holds a worker that stops for seconds only', async () => {
  const rare = start({ name: 'rare', everyMs: hour, run: async () => 'done' })
  await expect.poll(async () => rare.value('cc_task_duration_seconds', 'rare')).toBeDefined()
  const before = performance.now()
  await rare.tasks.stop()
  expect(performance.now() - before).toBeLessThan(1_000)
  const hanging = start({
    name: 'hangs',
    everyMs: 1,
    run: async () => new Promise(() => undefined),
  })
  await hanging.tasks.stop()
})

test('GET /metrics tells of them; every other request is 404', async () => {
  const { registry } = start({ name: 'well', everyMs: hour, run: async () => 'done' })
  const server = serveMetrics(registry, { host: '127.0.0.1', port: 0, log })
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const origin = `http://127.0.0.1:${address.port}`
  try {
    const answer = await fetch(`${origin}/metrics`)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('cc_task_failures_total{task="well"} 0')
    expect((await fetch(`${origin}/`)).status).toBe(404)
    expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(404)
  } finally {
    server.close()
  }
})
