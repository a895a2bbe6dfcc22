import { unwrap } from '../../../store/driver/tenant.ts'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

test('a workspace whose state has the last serial is applied again after a restore with a new lineage', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const last = Number.MAX_SAFE_INTEGER
  await storeOld({ organizationId: org.id, workspaceId: workspace.id, serial: last })
  const url = `${workspace.url}/state/versions`
  const refused = await owner.post(`${url}/${last}/restore`)
  expect(refused.json()).toMatchObject({
    code: 'serial_too_high',
    error: expect.stringContaining('new lineage'),
  })
  const restored = await owner.post(`${url}/${last}/restore`, { newLineage: true })
  expect(restored.statusCode, restored.body).toBe(201)
  const { lineage } = restored.json().version

  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  expect(run, run.endMessage ?? '').toMatchObject({ state: 'succeeded', summary: { add: 1 } })
  const { versions } = (await owner.get(url)).json()
  expect(versions[0]).toMatchObject({ serial: 2, lineage, status: 'finalized', runId: id })
  expect((await owner.get(workspace.url)).json().workspace.stateSerial).toBe(2)
})

// Stored before such names were refused: OpenTofu takes `\u017Ferial` for `serial` and reads the last one.
test('plan_forged: a plan names another serial than the state that its run was loaded with', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const of = { organizationId: org.id, workspaceId: workspace.id }
  await storeOld({ ...of, serial: 3 })
  await storeOld({ ...of, serial: 7, twin: { '\u017Ferial': 3 } })

  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  expect(run).toMatchObject({ state: 'failed', reason: 'plan_forged', planDigest: null })
  expect(run.endMessage).toContain("it names another state than the workspace's")
})

type OldState = { organizationId: number; workspaceId: number; serial: number; twin?: object }

/** One encrypted body, as stored before serials were limited and states were split into parts. */
async function storeOld({ organizationId, workspaceId, serial, twin }: OldState): Promise<void> {
  const lineage = 'old'
  const version = { version: 4, terraform_version: '1.12.6', serial, lineage }
  const body = JSON.stringify({ ...version, outputs: {}, resources: [], ...twin })
  const { store, keyring } = harness.deps
  await store.tenant(organizationId, async (tenant) =>
    unwrap(tenant)
      .db('state_versions')
      .insert({
        organization_id: organizationId,
        workspace_id: workspaceId,
        serial,
        lineage,
        body: keyring.seal({ organizationId, table: 'state_versions', column: 'body' }, body),
        body_sha256: createHash('sha256').update(body).digest('hex'),
        created_by: 'old version',
      }),
  )
}
