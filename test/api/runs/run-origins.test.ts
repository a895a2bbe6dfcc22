import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRun } from '../../../app/runs/create-run.ts'
import { mailApprovers } from '../../../app/runs/mail-approvers.ts'
import type { RunOrigin } from '../../../domain/runs/run-origin.ts'
import { systemActor } from '../../../store/audit/audit-log.ts'
import { connectOwner } from '../../../store/driver/connect.ts'
import { up } from '../../../store/migrations/0047-add-origins-of-runs.ts'
import { workspaceRuns, type WorkspaceRun } from '../../../store/runs/workspace-runs.ts'
import { configurationVersions } from '../../../store/workspaces/configuration-versions.ts'
import { workspaces } from '../../../store/workspaces/workspaces.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

type Start = { workspace: TestWorkspace; kind?: 'apply' | 'plan'; origin: RunOrigin }

/** A run that no member started, as the worker creates it. */
async function runOf(
  org: TestOrganization,
  { workspace: { id }, kind = 'plan', origin }: Start,
): Promise<WorkspaceRun> {
  return harness.deps.store.tenant(org.id, async (tenant) => {
    const workspace = await workspaces(tenant).getForUpdate(id)
    const version = await configurationVersions(tenant).newest(id)
    if (!version) throw new Error('the workspace has no configuration')
    const as = { origin, author: null, actor: systemActor }
    const { run } = await createRun(tenant, { workspace, version, kind, ...as })
    return run
  })
}

test('201: a run that a person started', async () => {
  const org = await harness.organization()
  const user = await org.user('Deployer')
  const workspace = await org.workspace({ by: user })
  const { run } = (await user.post(`${workspace.url}/apply`)).json()
  expect(run).toMatchObject({
    origin: { kind: 'person', id: user.id },
    author: { id: user.id, label: user.email },
  })
})

test.each([
  ['push', 'push of a commit', 'a push'],
  ['pull_request', 'pull request #null', 'a pull request'],
  ['schedule', 'a schedule', 'a schedule'],
  ['drift', 'a drift check', 'a drift check'],
  ['deployment', 'a deployment', 'a deployment'],
] as const)('200: a run of origin %s says so in each list', async (origin, label, words) => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const run = await runOf(org, { workspace, kind: 'apply', origin })
  const { runs } = (await owner.get(`${workspace.url}/runs`)).json()
  const shown = { kind: origin, id: null }
  expect(runs).toMatchObject([{ id: run.id, origin: shown, author: { id: null, label } }])
  const listed = (await owner.get(`/api/runs?origin=${origin}`)).json().runs
  expect(listed).toMatchObject([{ id: run.id, origin: shown }])
  const { workspaces: named } = (await owner.get('/api/workspaces')).json()
  expect(named).toMatchObject([{ lastRun: { id: run.id, origin: shown } }])
  const { lastRuns } = (await owner.get('/api/console/data')).json()
  expect(lastRuns).toMatchObject([{ id: run.id, author: words }])
  const next = (await owner.post(`${workspace.url}/apply`)).json().run
  expect(next.blockedBy).toMatchObject({ kind: 'turn', id: run.id, holder: words })
})

test('a mail names what started the run', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner, criticality: 'production' })
  const changer = await org.user('Owner')
  const run = await runOf(org, { workspace, origin: 'pull_request' })
  await harness.deps.store.tenant(org.id, async (tenant) => {
    await workspaceRuns(tenant).move(run.id, ['planning'], { phase: 'awaiting_plan_approval' })
    await mailApprovers(tenant, run, 'plan')
  })
  const mail = await harness.mailTo(changer.email)
  expect(mail.text.replaceAll(/\s+/g, ' ')).toContain('started by a pull request')
})

describe('the migration', () => {
  test('runs of before get the origin that their author and their version tell', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const headers = { 'idempotency-key': randomUUID() }
    const person = (await owner.post(`${workspace.url}/plan`, {}, { headers })).json().run
    const push = await runOf(org, { workspace, origin: 'schedule' })
    const other = await org.workspace({ by: owner })
    const pull = await runOf(org, { workspace: other, origin: 'schedule' })

    const database = connectOwner(harness.config.databaseUrl)
    const trx = await database.transaction()
    try {
      await trx.raw('alter table workspace_runs drop column origin')
      await trx.raw(`update idempotency_keys set response = response #- '{run,origin}'`)
      // The number of the pull request is enough here: its row and its connection are not read.
      await trx.raw(`alter table configuration_versions
        drop constraint configuration_versions_organization_id_pull_request_id_fkey`)
      await trx('configuration_versions')
        .where({ id: pull.configurationVersionId })
        .update({ pullRequestId: 1 })
      await up(trx)
      const rows = await trx('workspace_runs')
        .whereIn('id', [person.id, push.id, pull.id])
        .orderBy('id')
        .select('origin')
      expect(rows.map(({ origin }) => origin)).toEqual(['person', 'push', 'pull_request'])
      const [kept] = await trx('idempotency_keys').where({ organizationId: org.id })
      expect(kept.response.run).toMatchObject({ id: person.id, origin: 'person' })
    } finally {
      await trx.rollback()
      await database.destroy()
    }
  })
})
