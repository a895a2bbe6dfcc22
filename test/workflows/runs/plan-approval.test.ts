import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awaits, isOver, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

async function guarded() {
  const org = await harness.organization()
  const [admin, author] = [await org.user('Owner'), await org.user('Deployer')]
  await admin.patch('/api/org/settings', { planApproval: 'unseen' })
  return {
    org,
    author,
    second: await org.user('Deployer'),
    workspace: await org.workspace({ by: author, criticality: 'production' }),
  }
}

test('an approved plan request is planned, and the plan waits for its own approval', async () => {
  const { author, second, workspace } = await guarded()
  const { id, configurationSha256 } = await startRun(author, workspace)
  const url = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
  expect((await second.post(url, { configurationSha256 })).statusCode).toBe(200)
  const waiting = await runUntil(author, { workspace, id }, awaits)
  expect(waiting).toMatchObject({ awaitingApproval: true, awaitingPlanApproval: false })
  const { planDigest } = waiting
  expect((await second.post(url, { planDigest })).statusCode).toBe(200)
  const run = await runUntil(author, { workspace, id }, isOver)
  expect(run, String(run.endMessage)).toMatchObject({ state: 'succeeded' })
  expect(run.approvals.map(({ stage }) => stage)).toEqual(['plan', 'approve'])
})

test('a plan request expires without an approval: the run ends, and no program ran', async () => {
  const { org, author, workspace } = await guarded()
  const { id } = await startRun(author, workspace)
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('workspace_runs')
      .where({ id })
      .update({ approvalExpiresAt: new Date(0) }),
  )
  const run = await runUntil(author, { workspace, id }, isOver)
  expect(run).toMatchObject({ state: 'failed', reason: 'approval_expired', planDigest: null })
  expect(run.stages.map(({ state }) => state)).toEqual(['failed', 'skipped', 'skipped'])
})
