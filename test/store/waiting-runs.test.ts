import { afterAll, beforeAll, expect, test } from 'vitest'
import { organizationRunLimit } from '../../domain/runs/run-state.ts'
import { waitingRuns } from '../../store/platform/waiting-workspaces.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { startRun } from '../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  // Without a worker nobody gives turns but what is tested.
  harness = await createHarness()
})
afterAll(async () => harness.close())

async function withRuns(count: number) {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const ids: number[] = []
  for (let n = 0; n < count; n += 1)
    ids.push((await startRun(owner, await org.workspace({ by: owner }))).id)
  return { org, ids }
}

test('the queue of one organization does not stand before another’s', async () => {
  const { platform } = harness.deps.store
  const first = await withRuns(organizationRunLimit + 5)
  const second = await withRuns(organizationRunLimit + 2)
  // The first has no place left: none of its runs could go on, however long they wait.
  expect(await waitingRuns(platform, 100)).toEqual([])

  const give = async (ids: readonly number[]) =>
    platform('workspace_runs')
      .whereIn('id', [...ids])
      .update({ phase: 'canceled', endedAt: new Date() })
  await give(second.ids.slice(0, 1))
  expect(await waitingRuns(platform, 1)).toMatchObject([{ organizationId: second.org.id }])
  // Of both, each one's first before anybody's second.
  await give(first.ids.slice(0, 4))
  await give(second.ids.slice(1, 2))
  const order = (await waitingRuns(platform, 4)).map(({ organizationId }) => organizationId)
  expect(new Set(order.slice(0, 2))).toEqual(new Set([first.org.id, second.org.id]))
  expect(order.filter((id) => id === second.org.id)).toHaveLength(2)
}, 120_000)
