import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadRun } from '../../../activities/infrastructure/load-run.ts'
import { findRun } from '../../../activities/runs/find-run.ts'
import { lentEnvironment } from '../../../app/clouds/lent-environment.ts'
import { lenderFor } from '../../../app/clouds/lend-to-run.ts'
import { newToken } from '../../../domain/access/credentials.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'
import type { LendAsked, Lent } from '../../../gateways/clouds/cloud.ts'
import { systemActor } from '../../../store/audit/audit-log.ts'
import { cloudAccounts } from '../../../store/clouds/cloud-accounts.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { beginPlan } from '../../../store/infrastructure/begin-plan.ts'
import { takeApply } from '../../../store/infrastructure/take-apply.ts'
import { awsAccount, azureAccount } from '../../api/clouds/account-bodies.ts'
import { ListedCloud } from '../../harness/clouds/listed-cloud.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A cloud that lends numbered sessions. */
class LendingCloud extends ListedCloud {
  lentMs = 3_600_000
  lentTo: string[] = []
  fault: Error | undefined
  beforeLent: () => Promise<unknown> = async () => undefined

  override async lend({ name }: LendAsked): Promise<Lent> {
    this.lentTo.push(name)
    await this.beforeLent()
    if (this.fault) throw this.fault
    return {
      kind: 'aws',
      accessKeyId: `ASIA${this.lentTo.length}`,
      secretAccessKey: 'secret',
      sessionToken: 'token',
      expiresAt: new Date(Date.now() + this.lentMs),
    }
  }
}

/** A run of a workspace with a cloud account, which no worker picks up. */
async function borrowing(phase: 'plan' | 'apply') {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const runs = { plan: 'account', apply: 'account' }
  const { account } = (await owner.post('/api/cloud/accounts', awsAccount({ runs }))).json()
  const workspace = await org.workspace({ by: owner })
  await owner.patch(workspace.url, { cloudAccountId: account.id })
  const { id } = await startRun(owner, workspace)
  const { store } = harness.deps
  const set = async (table: string, where: object, change: object) =>
    store.platform(table).where(where).update(change)
  await set('workspace_runs', { id }, { phase: phase === 'plan' ? 'planning' : 'apply_queued' })
  const begin = async () => {
    const { hash, prefix } = newToken('run')
    const of = { workspaceRunId: id, hash, prefix }
    if (phase === 'plan') await beginPlan(store, org.id, { ...of, engineRunId: 'engine', hours: 1 })
    else
      await store.tenant(org.id, async (tenant) =>
        takeApply(tenant, { ...of, workspaceId: workspace.id, worker: 'one', hours: 5 }),
      )
    return hash
  }
  const cloud = new LendingCloud()
  const lender = (tokenHash: Buffer, runId = id) =>
    lenderFor(
      { store, openCloud: async () => cloud },
      {
        organizationId: org.id,
        workspaceId: workspace.id,
        runId,
        phase,
        cloudAccountId: account.id,
        tokenHash,
        actor: systemActor,
      },
    )
  const issued = async () =>
    store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ event: 'cloud.run_credentials_issued' })
        .orderBy('id'),
    )
  return { org, owner, account, workspace, id, cloud, set, begin, lender, issued }
}
const over = { how: 'over' }

test('the Azure provider is directed to the door, for the application and subscription of the phase', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const clientId = crypto.randomUUID()
  const body = azureAccount({ runs: { plan: { clientId }, apply: 'account' } })
  const { account } = (await owner.post('/api/cloud/accounts', body)).json()
  const row = await harness.deps.store.tenant(org.id, async (tenant) =>
    cloudAccounts(tenant).get(account.id),
  )
  const envOf = (phase: 'plan' | 'apply') =>
    lentEnvironment(harness.deps.keyring, row, { url: 'http://door', capability: 'c', phase })?.env
  expect(envOf('plan')).toEqual({
    ARM_USE_OIDC: 'true',
    ARM_OIDC_REQUEST_URL: 'http://door/azure',
    ARM_OIDC_REQUEST_TOKEN: 'c',
    ARM_TENANT_ID: body.credentials.tenantId,
    ARM_CLIENT_ID: clientId,
    ARM_SUBSCRIPTION_ID: body.accountId,
  })
  expect(envOf('apply')).toMatchObject({ ARM_CLIENT_ID: body.credentials.clientId })
})

test('a session is lent under the run’s name, audited once, and lent again until half of it is over', async () => {
  const run = await borrowing('plan')
  const lend = run.lender(await run.begin())
  const answers = await Promise.all([lend(), lend(), lend()])
  for (const answer of answers) expect(answer).toMatchObject({ lent: { accessKeyId: 'ASIA1' } })
  expect(run.cloud.lentTo).toEqual([`run-${run.id}-plan`])
  const [entry, ...more] = await run.issued()
  expect(more).toEqual([])
  expect(entry).toMatchObject({
    targetKind: 'run',
    targetId: String(run.id),
    detail: { phase: 'plan', cloudAccountId: run.account.id, identity: 'account', provider: 'aws' },
  })
  expect(JSON.stringify(entry)).not.toContain('secret')
})

test('an apply that is longer than its session is lent the next one', async () => {
  const run = await borrowing('apply')
  run.cloud.lentMs = 5_000
  const lend = run.lender(await run.begin())
  const first = await lend()
  await new Promise((resolve) => setTimeout(resolve, 2_600))
  expect([first, await lend()]).toMatchObject([
    { lent: { accessKeyId: 'ASIA1' } },
    { lent: { accessKeyId: 'ASIA2' } },
  ])
  expect(await run.issued()).toHaveLength(2)
})

test.each(['awaiting_approval', 'applying', 'failed', 'canceled'])(
  'a plan is lent nothing once its run is in %s, not even what it was lent before',
  async (phase) => {
    const run = await borrowing('plan')
    const lend = run.lender(await run.begin())
    expect(await lend()).toHaveProperty('lent')
    await run.set('workspace_runs', { id: run.id }, { phase })
    expect(await lend()).toMatchObject(over)
    expect(run.cloud.lentTo).toHaveLength(1)
  },
)

test('an apply is lent nothing once a newer attempt has the fencing number, or the run is over', async () => {
  const run = await borrowing('apply')
  const lend = run.lender(await run.begin())
  expect(await lend()).toHaveProperty('lent')
  const { store } = harness.deps
  await run.set('workspaces', { id: run.workspace.id }, { fence: store.platform.raw('fence + 1') })
  expect(await lend()).toMatchObject(over)
  const other = await borrowing('apply')
  const again = other.lender(await other.begin())
  await other.set('workspace_runs', { id: other.id }, { phase: 'succeeded' })
  expect(await again()).toMatchObject(over)
  expect(await other.issued()).toEqual([])
})

test('another run’s token, a revoked one and an unknown one are lent nothing', async () => {
  const [run, other] = [await borrowing('plan'), await borrowing('plan')]
  const token = await run.begin()
  expect(await other.lender(token)()).toMatchObject(over)
  expect(await run.lender(token, other.id)()).toMatchObject(over)
  expect(await run.lender(newToken('run').hash)()).toMatchObject(over)
  await run.set('tokens', { workspaceRunId: run.id }, { revokedAt: new Date() })
  expect(await run.lender(token)()).toMatchObject(over)
})

test('what the cloud gives for a run that ended meanwhile is dropped', async () => {
  const run = await borrowing('plan')
  const lend = run.lender(await run.begin())
  run.cloud.beforeLent = async () =>
    run.set('workspace_runs', { id: run.id }, { phase: 'canceled' })
  expect(await lend()).toMatchObject(over)
  expect(await run.issued()).toEqual([])
})

test('an account that is changed is asked again; one that is detached lends nothing', async () => {
  const run = await borrowing('plan')
  const lend = run.lender(await run.begin())
  expect(await lend()).toMatchObject({ lent: { accessKeyId: 'ASIA1' } })
  await run.owner.patch(`/api/cloud/accounts/${run.account.id}`, { runs: { plan: 'account' } })
  expect(await lend()).toMatchObject({ lent: { accessKeyId: 'ASIA2' } })
  await run.set('workspaces', { id: run.workspace.id }, { cloudAccountId: null })
  expect(await lend()).toMatchObject({ how: 'refused' })
})

test('a refusal is repeated for two seconds without asking the cloud', async () => {
  const run = await borrowing('plan')
  const lend = run.lender(await run.begin())
  run.cloud.fault = new CloudFault('credentials', 'AWS does not let this service use the role.')
  for (let times = 0; times < 5; times += 1)
    expect(await lend()).toEqual({
      how: 'refused',
      reason: 'AWS does not let this service use the role.',
    })
  expect(run.cloud.lentTo).toHaveLength(1)
  expect(await run.issued()).toEqual([])
})

test('a workspace that names another account in the middle of an apply is lent nothing', async () => {
  const run = await borrowing('apply')
  const lend = run.lender(await run.begin())
  expect(await lend()).toHaveProperty('lent')
  const body = awsAccount({ runs: { apply: 'account' } })
  const { account: other } = (await run.owner.post('/api/cloud/accounts', body)).json()
  expect((await run.owner.patch(run.workspace.url, { cloudAccountId: other.id })).statusCode).toBe(
    200,
  )
  expect(await lend()).toMatchObject({
    how: 'refused',
    reason: expect.stringContaining('the run began with'),
  })
  expect(run.cloud.lentTo).toHaveLength(1)
})

test('an account whose credentials are invalid lends nothing, and says why', async () => {
  const run = await borrowing('plan')
  const lend = run.lender(await run.begin())
  const reason = 'The credentials are those of the account 222222222222.'
  const change = { status: 'invalid_credentials', statusReason: reason }
  await run.set('cloud_accounts', { id: run.account.id }, change)
  expect(await lend()).toEqual({ how: 'refused', reason })
  expect(run.cloud.lentTo).toEqual([])
})

test.each(['change', 'disconnect'])(
  'a %s of the account while its cloud answers: what it gave is dropped',
  async (what) => {
    const run = await borrowing('plan')
    const lend = run.lender(await run.begin())
    const url = `/api/cloud/accounts/${run.account.id}`
    run.cloud.beforeLent = async () => {
      const answer =
        what === 'change'
          ? await run.owner.patch(url, { runs: null })
          : await run.owner.delete(`${url}?detach=true`)
      expect(answer.statusCode).toBe(200)
    }
    expect(await lend()).toMatchObject({ how: 'refused' })
    expect(await run.issued()).toEqual([])
  },
)

test('a session that is over when it is lent is not asked for again without end', async () => {
  const run = await borrowing('plan')
  run.cloud.lentMs = -1
  const lend = run.lender(await run.begin())
  for (let times = 0; times < 10; times += 1) await lend()
  expect(run.cloud.lentTo).toHaveLength(1)
  expect(await run.issued()).toHaveLength(1)
})

test('the digest covers the cloud account and the name, so that a plan of one is never applied with another', async () => {
  const run = await borrowing('plan')
  const mac = async () =>
    (await loadRun(harness.deps, await findRun(harness.deps, run.id), 'apply')).variablesMac
  const planned = await mac()
  const { account: other } = (await run.owner.post('/api/cloud/accounts', awsAccount({}))).json()
  await run.owner.patch(run.workspace.url, { cloudAccountId: other.id })
  const applied = await mac()
  // The cloud trusts the runs of a workspace by its name.
  await run.owner.patch(run.workspace.url, { name: `${run.workspace.name}-old` })
  const renamed = await mac()
  await run.owner.patch(run.workspace.url, { cloudAccountId: null })
  expect(new Set([planned, applied, renamed, await mac()]).size).toBe(4)
})
