import { MockActivityEnvironment } from '@temporalio/testing'
import { expect, test } from 'vitest'
import type { Deps } from '../../../activities/deps.ts'
import {
  takeApplicationPushes,
  type ApplicationPush,
} from '../../../activities/git/take-application-push.ts'
import type { Pipeline } from '../../../store/pipelines/pipelines.ts'
import { turnsDuring } from '../../harness/turns-during.ts'

// Where no tag fits, neither the store nor the host is asked, so each may be nothing here.
const deps = {} as Deps
const push = (tags: string[]) =>
  ({ organizationId: 1, delivery: { branches: [], tags } }) as unknown as ApplicationPush
const pipelinesOf = (count: number, triggerTags: string[]) =>
  Array.from(
    { length: count },
    (_, id) => ({ id, triggerPush: false, triggerTags, appRepo: 'acme/app' }) as Pipeline,
  )

test('others have a turn after each pipeline, where no tag fits', async () => {
  const environment = new MockActivityEnvironment()
  const { turns } = await turnsDuring(async () =>
    environment.run(async () =>
      takeApplicationPushes(deps, pipelinesOf(30, ['v*']), push(['other'])),
    ),
  )
  expect(turns).toBeGreaterThanOrEqual(30)
})

test('others have turns while the tags of one pipeline are compared', async () => {
  const patterns = Array.from({ length: 50 }, (_, at) => `*${'a'.repeat(155)}${at}z`)
  const tags = Array.from({ length: 50 }, (_, at) => `${'a'.repeat(253)}${at}`)
  const environment = new MockActivityEnvironment()
  const { turns } = await turnsDuring(async () =>
    environment.run(async () => takeApplicationPushes(deps, pipelinesOf(1, patterns), push(tags))),
  )
  expect(turns).toBeGreaterThan(20)
})

test('a cancelled activity compares the tags of no further pipeline', async () => {
  const environment = new MockActivityEnvironment()
  let compared = 0
  const pipelines = pipelinesOf(30, ['v*']).map((pipeline) =>
    Object.defineProperty(pipeline, 'triggerTags', {
      get() {
        compared += 1
        environment.cancel('TIMED_OUT')
        return ['v*']
      },
    }),
  )
  const work = environment.run(async () => takeApplicationPushes(deps, pipelines, push(['other'])))
  await expect(work).rejects.toThrow()
  expect(compared).toBe(1)
})
