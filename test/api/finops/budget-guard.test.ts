import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { awsAccount } from '../clouds/account-bodies.ts'
import { approvedRun } from '../users/approve-as.ts'

const url = '/api/finops/budgets'
const holding = (fields: object = {}) => ({
  name: 'Shop',
  amountMonthly: 1_000,
  scopeKind: 'all',
  overBudget: 'approve',
  ...fields,
})

describe('a budget that holds runs', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('403: without manage_cloud_accounts it is not set, weakened or deleted, and each try is audited', async () => {
    const org = await harness.organization()
    const [sre, deployer] = [await org.user('SRE · Cloud Admin'), await org.user('Deployer')]
    const { budget } = (await sre.post(url, holding())).json()
    const warning = (await deployer.post(url, holding({ overBudget: 'warn' }))).json().budget
    const at = `${url}/${budget.id}`
    for (const response of [
      await deployer.post(url, holding()),
      await deployer.patch(`${url}/${warning.id}`, { overBudget: 'approve' }),
      await deployer.patch(at, { overBudget: 'warn' }),
      await deployer.patch(at, { amountMonthly: 1_000.01 }),
      await deployer.patch(at, { scopeKind: 'service', scopeValue: 'nothing' }),
      await deployer.delete(at),
    ])
      expect([response.statusCode, response.json().code]).toEqual([403, 'forbidden'])
    expect((await deployer.get(at)).json().budget).toEqual(budget)
    // What adds a guard, or is none, needs no more than a budget.
    const lowered = await deployer.patch(at, { amountMonthly: 900, name: 'Shops', threshold: 0.5 })
    expect(lowered.statusCode, lowered.body).toBe(200)
    const denials = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('audit_entries').where({ event: 'cloud.rbac_denied' }).select('detail'),
    )
    expect(denials.length).toBeGreaterThan(0)
    expect(denials[0].detail).toMatchObject({ capability: 'manage_cloud_accounts' })
  })

  test('200: who changes it is an author of the next run of standard workspaces', async () => {
    const org = await harness.organization()
    const [sre, standard, production] = [
      await org.user('SRE · Cloud Admin'),
      await org.workspace(),
      await org.workspace({ criticality: 'production' }),
    ]
    const authors = async () =>
      harness.deps.store.tenant(org.id, async (tenant) => {
        const rows = await unwrap(tenant)
          .db('workspace_authorship')
          .where({ userId: sre.id, what: 'budget' })
          .select('workspaceId')
        const ids = rows.map(({ workspaceId }) => workspaceId)
        return [...new Set(ids)].toSorted((one, other) => one - other)
      })
    const { budget } = (await sre.post(url, holding())).json()
    expect(await authors()).toEqual([standard.id])
    const scope = { scopeKind: 'workspace', scopeValue: String(production.id) }
    await sre.patch(`${url}/${budget.id}`, scope)
    expect(await authors()).toEqual([standard.id, production.id])
  })

  test.each([
    ['set', async () => undefined],
    ['weakened', async (budget: string, by: Editor) => by.patch(budget, { amountMonthly: 2_000 })],
    ['deleted', async (budget: string, by: Editor) => by.delete(budget)],
  ])('200: where it is %s, approvals that wait in its scope are void', async (how, change) => {
    const org = await harness.organization()
    const sre = await org.user('SRE · Cloud Admin')
    const first = await approvedRun(harness.deps, org, await org.user('Deployer'))
    const { workspaceId } = await first.now()
    const scope = { scopeKind: 'workspace', scopeValue: String(workspaceId) }
    const other = await approvedRun(harness.deps, org, await org.user('Deployer'))
    const { budget } = (await sre.post(url, holding(scope))).json()
    if (how !== 'set') {
      await first.approveAgain()
      expect(await first.now()).toMatchObject({ phase: 'apply_queued', approved: true })
      await change(`${url}/${budget.id}`, sre)
    }
    expect(await first.now()).toMatchObject({ phase: 'awaiting_approval', approved: false })
    expect(await other.now()).toMatchObject({ phase: 'apply_queued', approved: true })
  })
})

describe('settings that move the scope of a budget that holds runs', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test.each([
    ['tagKey', { tagKey: 'team' }, 'untagged', true],
    ['tagAliases', { tagAliases: { team: ['Team'] } }, 'team=a', true],
    ['tagAliases', { tagAliases: { team: ['Team'] } }, 'untagged', true],
    ['tagKey', { tagKey: 'team' }, 'team=a', false],
  ])('200: %s %j with a budget of %s: authorship and a void approval %s', async (...row) => {
    const [what, change, scopeValue, isNoted] = row
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const run = await approvedRun(harness.deps, org, await org.user('Deployer'))
    const body = holding({ scopeKind: 'tag', scopeValue })
    const made = await (await org.user('SRE · Cloud Admin')).post(url, body)
    expect(made.statusCode, made.body).toBe(201)
    // Runs of production workspaces wait anyway, whatever a budget says.
    const { workspaceId } = await run.now()
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspaces')
        .where({ id: workspaceId })
        .update({ criticality: 'standard' }),
    )
    expect(await run.now()).toMatchObject({ phase: 'apply_queued', approved: true })
    const changed = await owner.patch('/api/org/settings', change)
    expect(changed.statusCode, changed.body).toBe(200)
    expect(await run.now()).toMatchObject({ approved: !isNoted })
    const noted = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('workspace_authorship').where({ userId: owner.id }).pluck('what'),
    )
    expect(noted).toEqual(isNoted ? [what] : [])
  })
})

describe('bills whose cost a budget that holds runs adds up', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const sourceOf = async (org: TestOrganization, of: object): Promise<number> => {
    const db = harness.deps.store.platform
    const row = { organizationId: org.id, ...of }
    const [{ id }] = await db('billing_sources').insert(row).returning('id')
    return id
  }
  const uploads = async (org: TestOrganization) =>
    `/api/finops/sources/${await sourceOf(org, { name: 'data-center' })}`
  const account = async (org: TestOrganization, by: TestUser) => {
    const made = await by.post('/api/cloud/accounts', awsAccount())
    expect(made.statusCode, made.body).toBe(201)
    const { id } = made.json().account
    await sourceOf(org, { cloudAccountId: id })
    return `/api/cloud/accounts/${id}`
  }

  test.each([
    ['a source of uploads is deleted', uploads, true],
    ['an account is disconnected', account, true],
    [
      'an account is disconnected with its cost',
      async (org: TestOrganization, by: TestUser) => `${await account(org, by)}?purge=true`,
      true,
    ],
    ['a source is deleted, and no budget holds runs', uploads, false],
  ])('200: where %s: authorship and a void approval', async (_, place, holds) => {
    const org = await harness.organization()
    const by = await org.user('SRE · Cloud Admin')
    const run = await approvedRun(harness.deps, org, await org.user('Deployer'))
    const body = holding({ overBudget: holds ? 'approve' : 'warn' })
    const made = await (await org.user('SRE · Cloud Admin')).post(url, body)
    expect(made.statusCode, made.body).toBe(201)
    const { workspaceId } = await run.now()
    const db = harness.deps.store.platform
    await db('workspaces').where({ id: workspaceId }).update({ criticality: 'standard' })
    expect(await run.now()).toMatchObject({ phase: 'apply_queued', approved: true })

    const removed = await by.delete(await place(org, by))

    expect(removed.statusCode, removed.body).toBe(200)
    expect(await run.now()).toMatchObject({ approved: !holds })
    const noted = await db('workspace_authorship').where({ userId: by.id }).pluck('what')
    expect(noted).toEqual(holds ? ['bills'] : [])
  })
})

type Editor = {
  patch(url: string, body: object): Promise<unknown>
  delete(url: string): Promise<unknown>
}
