import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isOver, linesOf, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true, env: { CC_SANDBOX: 'process' } })
})
afterAll(() => harness.close())

test('without bubblewrap a run succeeds, and stores its state in the product’s backend', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  const log = (await linesOf(owner, workspace, { id, stage: 'plan' })).join('\n')
  expect(run.state, `${run.endMessage}\n${log}`).toBe('succeeded')
  const { workspace: after } = (await owner.get(workspace.url)).json()
  expect(after.stateSerial).toBeGreaterThan(0)
  const ready = (await harness.app.inject('/readyz')).json()
  expect(ready.sandbox.kind).toBe('process')
  expect(ready.workers).toEqual({ ok: true, control: 1, tofu: 1 })
})

test('503: a key is missing from the keyring: only requests that need it fail, and nothing changes', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  await owner.post(`${workspace.url}/variables`, { key: 'word', value: 'x', kind: 'terraform' })
  // Encrypted under a key that this keyring does not have. The envelope contains the key's id.
  await harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)

    const [row] = await db('workspace_variables').where({ workspaceId: workspace.id })
    const other = Buffer.from(row.value)
    other.write('gone', 2)
    await db('workspace_variables').where({ id: row.id }).update({ value: other })
  })
  const response = await owner.get(`${workspace.url}/variables`)
  expect([response.statusCode, response.json().code]).toEqual([503, 'keyring_unavailable'])
  expect((await owner.get(workspace.url)).statusCode).toBe(200)

  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
  expect(run.endMessage).toContain('CC_KEYRING')
  expect((await owner.get(workspace.url)).json().workspace.locked).toBeNull()
})
