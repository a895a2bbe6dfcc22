import { expect, test } from 'vitest'
import { pino } from 'pino'
import { startTask } from '../../worker/tasks/start-task.ts'

const logged: string[] = []
const log = pino({}, { write: (line: string) => void logged.push(line) })

test('a task goes on after a pass that failed, and the failure is logged by its name', async () => {
  let passes = 0
  const third = Promise.withResolvers<void>()
  const task = startTask(
    {
      name: 'counting',
      everyMs: 1,
      async run() {
        passes += 1
        if (passes === 1) throw new Error('not now')
        if (passes === 3) third.resolve()
      },
    },
    { log },
  )
  await third.promise
  await task.stop()
  const stoppedAt = passes
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(passes).toBe(stoppedAt)
  expect(logged.filter((line) => line.includes('"task":"counting"'))).toHaveLength(1)
})

test('a pause ends with the task, and a pass that hangs holds a worker that stops for seconds only', async () => {
  const pausing = startTask(
    { name: 'rare', everyMs: 3_600_000, run: async () => undefined },
    { log },
  )
  await new Promise((resolve) => setTimeout(resolve, 10))
  const before = performance.now()
  await pausing.stop()
  expect(performance.now() - before).toBeLessThan(1_000)
  const hanging = startTask(
    { name: 'hanging', everyMs: 1, run: async () => new Promise(() => undefined) },
    { log },
  )
  await hanging.stop()
})
