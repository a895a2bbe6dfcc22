import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRun } from '../../../app/runs/create-run.ts'
import { systemActor } from '../../../store/audit/audit-log.ts'
import { connectOwner } from '../../../store/driver/connect.ts'
import { up } from '../../../store/migrations/0149-word-starts-of-runs.ts'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { configurationVersions } from '../../../store/workspaces/configuration-versions.ts'
import { workspaces } from '../../../store/workspaces/workspaces.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('200: what a run was started with and how it ended, in its lists and its detail', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const { run } = (await owner.post(`${workspace.url}/apply`, { message: 'Widen the net' })).json()
  expect(run).toMatchObject({ message: 'Widen the net', endMessage: null })
  await harness.deps.store.tenant(org.id, async (tenant) =>
    workspaceRuns(tenant).move(run.id, ['planning'], { phase: 'failed', message: 'It broke.' }),
  )
  const shown = { message: 'Widen the net', endMessage: 'It broke.' }
  const detail = (await owner.get(`${workspace.url}/runs/${run.id}`)).json().run
  expect(detail).toMatchObject(shown)
  for (const url of [`${workspace.url}/runs`, '/api/runs'])
    expect((await owner.get(url)).json().runs, url).toMatchObject([shown])
  expect(detail).not.toHaveProperty('startMessage')
  // Of runs of applications alone.
  expect(detail).not.toHaveProperty('details')
})

test('the migration gives older runs and kept answers the same fields', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const headers = { 'idempotency-key': randomUUID() }
  const body = { message: 'Look' }
  const started = (await owner.post(`${workspace.url}/plan`, body, { headers })).json().run
  const pushed = await harness.deps.store.tenant(org.id, async (tenant) => {
    const version = await configurationVersions(tenant).newest(workspace.id)
    if (!version) throw new Error('the workspace has no configuration')
    const of = { workspace: await workspaces(tenant).getForUpdate(workspace.id), version }
    return createRun(tenant, {
      ...of,
      kind: 'plan',
      origin: 'push',
      author: null,
      actor: systemActor,
    })
  })
  const database = connectOwner(harness.config.databaseUrl)
  const trx = await database.transaction()
  try {
    await trx.raw('alter table application_runs drop column missing_manifest')
    await trx('configuration_versions')
      .where({ id: pushed.run.configurationVersionId })
      .update({ commitMessage: '\n Widen\u001b the\tnet \r\n\nMore' })
    const keys = trx('idempotency_keys').where({ organizationId: org.id })
    const [kept] = await keys.clone()
    const { endMessage, ...before } = kept.response.run
    const old = { ...before, message: endMessage, startMessage: 'Look', origin: 'person' }
    await keys.clone().update({ response: JSON.stringify({ ...kept.response, run: old }) })

    await up(trx)
    expect((await keys.clone())[0].response).toEqual(kept.response)
    expect(kept.response.run.origin).toEqual({ kind: 'person', id: owner.id })
    const rows = await trx('workspace_runs')
      .whereIn('id', [started.id, pushed.run.id])
      .orderBy('id')
      .select('startMessage')
    expect(rows.map(({ startMessage }) => startMessage)).toEqual(['Look', 'Widen the net'])
  } finally {
    await trx.rollback()
    await database.destroy()
  }
})
