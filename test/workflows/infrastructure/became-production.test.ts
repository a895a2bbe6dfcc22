import { afterAll, beforeAll, expect, test } from 'vitest'
import { policies } from '../../../store/policies/policies.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awaits, isOver, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

/** A run that waits for a confirmation, judged by a policy that judges every workspace. */
async function waitingRun(condition: string) {
  const org = await harness.organization()
  const [owner, second] = [await org.user('Owner'), await org.user('Deployer')]
  await harness.deps.store.tenant(org.id, async (tenant) =>
    policies(tenant).create({
      name: 'by workspace',
      rego: `package cloudcontrol\n\ndeny contains "not here" if {\n  ${condition}\n}\n`,
      enforcement: 'mandatory',
      workspaces: 'all',
    }),
  )
  const workspace = await org.workspace({ by: owner })
  const { id } = await startRun(owner, workspace, { confirm: true })
  expect(await runUntil(owner, { workspace, id }, awaits)).toMatchObject({ awaitingApproval: true })
  const approve = async () =>
    second.post(`/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`, {})
  return { owner, workspace, id, approve }
}

const denied = {
  state: 'failed',
  reason: 'policy_denied',
  stages: [{ gates: [{ kind: 'policy', findings: [{ message: 'not here' }] }, {}] }, {}, {}],
}

test('a workspace becomes production: a policy that denies only there ends the run that waits', async () => {
  const { owner, workspace, id } = await waitingRun('input.workspace.criticality == "production"')
  const changed = await owner.patch(workspace.url, { criticality: 'production' })
  expect(changed.statusCode, changed.body).toBe(200)
  expect(await runUntil(owner, { workspace, id }, isOver)).toMatchObject(denied)
})

test('a workspace is renamed: a policy that denies its new name judges the plan before the apply', async () => {
  const { owner, workspace, id, approve } = await waitingRun(
    'startswith(input.workspace.name, "core-")',
  )
  const name = `core-${workspace.name}`
  expect((await owner.patch(workspace.url, { name })).statusCode).toBe(200)
  expect((await approve()).statusCode).toBe(200)
  expect(await runUntil(owner, { workspace, id }, isOver)).toMatchObject(denied)
})
