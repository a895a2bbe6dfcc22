import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../../../activities/deps.ts'
import { planRun } from '../../../activities/infrastructure/plan-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A seen run of a production workspace, and what a worker has that notes whether it takes a runner. */
async function seenRun() {
  const org = await harness.organization()
  const [admin, author, second] = [
    await org.user('Owner'),
    await org.user('Deployer'),
    await org.user('Deployer'),
  ]
  await admin.patch('/api/org/settings', { planApproval: 'unseen' })
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const { id, configurationSha256 } = await startRun(author, workspace)
  const approve = `${workspace.url}/runs/${id}/approve`
  expect((await second.post(approve, { configurationSha256 })).statusCode).toBe(200)
  const taken: number[] = []
  const deps = {
    ...harness.deps,
    runners: {
      take: () => {
        taken.push(id)
        throw new Error('no runner here')
      },
    },
    slotShares: { take: async () => () => undefined, forget: () => undefined },
    engineVersion: '1.12.6',
    worker: 'test',
    stopping: new AbortController().signal,
  } as unknown as Deps
  const plan = async () => new MockActivityEnvironment().run(planRun(deps), { runId: id })
  const shown = async () => (await author.get(`${workspace.url}/runs/${id}`)).json().run
  return { author, workspace, plan, shown, taken }
}

test('a variable that was changed between the approval and the plan ends the run before any program', async () => {
  const { author, workspace, plan, shown, taken } = await seenRun()
  const variable = { key: 'src', kind: 'terraform', value: 'git::https://example.com/me/evil' }
  const made = await author.post(`${workspace.url}/variables`, { ...variable, sensitive: false })
  expect(made.statusCode, made.body).toBe(201)
  await plan()
  expect(await shown()).toMatchObject({ state: 'failed', reason: 'plan_stale' })
  expect(taken).toEqual([])
})

test('without a change it is planned', async () => {
  const { plan, taken } = await seenRun()
  await expect(plan()).rejects.toThrow('no runner here')
  expect(taken).toHaveLength(1)
})
