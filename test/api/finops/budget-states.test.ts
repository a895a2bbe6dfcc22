import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { dayAgo, loadSums, type BillOfSums, type DaySum } from './sums-of-bill.ts'

const url = '/api/finops/budgets'

describe('states of budgets', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  async function world(bill: Omit<BillOfSums, 'organizationId'> | null = null) {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const load = async (sums: Omit<BillOfSums, 'organizationId'>) =>
      loadSums(harness, { organizationId: org.id, ...sums })
    if (bill) await load(bill)
    return { org, owner, load, budget: async (fields: object) => budgetOf(owner, fields) }
  }

  async function budgetOf(owner: TestUser, fields: object) {
    const body = { name: 'x', amountMonthly: 100, scopeKind: 'all', ...fields }
    const made = await owner.post(url, body)
    expect(made.statusCode, made.body).toBe(201)
    return made.json().budget
  }

  test('actual is the sum of the current month alone, and decides the state', async () => {
    const { owner, load, budget } = await world({
      rows: [
        { ago: 0, amount: 79 },
        { ago: new Date().getUTCDate(), amount: 0.5 },
      ],
    })
    const made = await budget({})
    expect(made).toMatchObject({ actual: 79, state: 'ok' })
    const state = async () => (await owner.get(`${url}/${made.id}`)).json().budget
    await load({
      rows: [
        { ago: 0, amount: '79.999999999999' },
        { ago: 0, amount: '0.000000000001' },
      ],
    })
    expect(await state()).toMatchObject({ actual: 80, state: 'warn' })
    await load({ rows: [{ ago: 0, amount: 100 }] })
    expect(await state()).toMatchObject({ actual: 100, state: 'exceeded' })
    // The amount is the budget's: no new figures are needed.
    const raised = await owner.patch(`${url}/${made.id}`, { amountMonthly: 200 })
    expect(raised.json().budget).toMatchObject({ actual: 100, state: 'ok' })
    await load({ rows: [{ ago: 0, amount: 10 }] })
    expect((await owner.get(url)).json().budgets).toMatchObject([{ actual: 10, state: 'ok' }])
  })

  test('each kind of scope has its own cost', async () => {
    const { org, budget, load } = await world()
    const { id } = await org.workspace()
    const rows = [
      { amount: 1, service: 'Amazon EC2', subAccountId: '111', tags: { team: 'a', stage: 'x' } },
      { amount: 2, service: 'Amazon S3', subAccountId: '222', workspaceId: id, tags: { team: '' } },
      { amount: 4, provider: 'gcp', service: 'Compute Engine', tags: { Team: 'a' } },
    ]
    const providerNames = { aws: ['Amazon Web Services'], gcp: ['Google Cloud'] }
    await load({ rows, providerNames })
    await load({ rows: [{ amount: 8, service: 'amazon ec2' }], source: 'other' })
    const actual = async (scopeKind: string, scopeValue?: string) =>
      (await budget({ scopeKind, ...(scopeValue !== undefined && { scopeValue }) })).actual
    expect(await actual('all')).toBe(15)
    expect(await actual('provider', 'AWS')).toBe(11)
    expect(await actual('provider', 'amazon web services')).toBe(11)
    expect(await actual('provider', 'Google Cloud')).toBe(4)
    expect(await actual('service', 'AMAZON EC2')).toBe(9)
    expect(await actual('subAccount', '222')).toBe(2)
    expect(await actual('workspace', String(id))).toBe(2)
    expect(await actual('tag', 'team=a')).toBe(1)
    expect(await actual('tag', 'team=')).toBe(2)
    expect(await budget({ scopeKind: 'service', scopeValue: 'Amazon' })).toMatchObject({
      actual: 0,
      state: 'unknown',
    })
  })

  test('an account is its source; `untagged` is what has no tag of the organization’s key', async () => {
    const { owner, load, budget } = await world()
    const { account } = (
      await owner.post('/api/cloud/accounts', {
        provider: 'aws',
        name: 'one',
        accountId: '123456789012',
        credentials: { roleArn: 'arn:aws:iam::123456789012:role/x' },
      })
    ).json()
    await load({ accountId: account.id, rows: [{ amount: 5, tags: { team: 'a' } }, { amount: 3 }] })
    await load({ source: 'upload', rows: [{ amount: 20, tags: { stage: 'x' } }] })
    const scopeValue = String(account.id)
    expect(await budget({ scopeKind: 'account', scopeValue })).toMatchObject({ actual: 8 })
    const untagged = await budget({ scopeKind: 'tag', scopeValue: 'untagged' })
    expect(untagged).toMatchObject({ state: 'unknown', actual: 0 })
    expect((await owner.patch('/api/org/settings', { tagKey: 'team' })).statusCode).toBe(200)
    expect((await owner.get(`${url}/${untagged.id}`)).json().budget).toMatchObject({
      state: 'ok',
      actual: 23,
    })
  })

  test('money is converted at the month’s rate; without one the state is unknown', async () => {
    const { org, owner, budget } = await world({
      rows: [{ amount: 10 }, { amount: 100, currency: 'EUR' }],
    })
    const made = await budget({ amountMonthly: 1_000 })
    expect(made).toMatchObject({ actual: 10, state: 'unknown', currency: 'USD' })
    const rate = { month: `${dayAgo(0).slice(0, 7)}-01`, base: 'EUR', quote: 'USD', kind: 'person' }
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('exchange_rates')
        .insert({ ...rate, organizationId: org.id, rate: '1.25' }),
    )
    expect((await owner.get(`${url}/${made.id}`)).json().budget).toMatchObject({
      actual: 135,
      state: 'ok',
    })
  })

  test('without a forecast a budget says why; old money without a rate takes none away', async () => {
    const year = Array.from({ length: 100 }, (_, ago) => ({ ago, amount: 10 }))
    const euros = (ago: number) => ({ ago, amount: 1, currency: 'EUR' })
    const made = async (rows: DaySum[], fields: object = {}) =>
      (await world({ rows })).budget({ amountMonthly: 10, ...fields })
    // A hundred days of 10: the forecast alone reaches the amount, but for the month's last day.
    const now = new Date()
    const lastDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0))
    const amountMonthly = 10 * lastDay.getUTCDate() - 1
    const old = await made([...year, euros(80)], { amountMonthly, threshold: 1 })
    expect(old).toMatchObject({ noForecastBecause: null, forecastState: 'exceeded' })
    expect(['warn', 'exceeded']).toContain(old.state)
    const none = { forecast: null, forecastState: null }
    expect(await made([...year, euros(40)])).toMatchObject({
      ...none,
      noForecastBecause: 'no_rate',
    })
    expect(await made([...year, euros(0)])).toMatchObject({ ...none, noForecastBecause: 'no_rate' })
    expect(await made(year.slice(0, 5))).toMatchObject({ noForecastBecause: 'short_history' })
    expect(await made([])).toMatchObject({ ...none, noForecastBecause: 'no_cost' })
    const untagged = { scopeKind: 'tag', scopeValue: 'untagged' }
    expect(await made(year, untagged)).toMatchObject({ ...none, noForecastBecause: 'no_tag_key' })
    const late = await world({ rows: year.slice(8), completeThrough: dayAgo(8) })
    expect(await late.budget({})).toMatchObject({ ...none, noForecastBecause: 'late_bill' })
  })

  test('a bill more than 5 days late is unknown, of the scope that it is in alone', async () => {
    const { load, budget } = await world({
      completeThrough: dayAgo(7),
      rows: [{ amount: 5, service: 'A' }],
    })
    await load({ source: 'late', completeThrough: dayAgo(8), rows: [{ amount: 6, service: 'B' }] })
    expect(await budget({})).toMatchObject({ state: 'unknown', actual: 11 })
    expect(await budget({ scopeKind: 'service', scopeValue: 'A' })).toMatchObject({ state: 'ok' })
    expect(await budget({ scopeKind: 'service', scopeValue: 'B' })).toMatchObject({
      state: 'unknown',
    })
  })

  test('an account whose bill never came is late from its connection on, in each scope that names it', async () => {
    const { org, owner, load, budget } = await world({ rows: [{ amount: 1, service: 'A' }] })
    const made = await owner.post('/api/cloud/accounts', {
      provider: 'aws',
      name: 'silent',
      accountId: '123456789012',
      credentials: { roleArn: 'arn:aws:iam::123456789012:role/x' },
      billing: { bucket: 'bills', prefix: '', region: 'eu-west-1', exportName: 'focus' },
    })
    const { id } = made.json().account
    const since = async (createdAt: Date) =>
      harness.deps.store.tenant(org.id, async (tenant) => {
        const source = { organizationId: org.id, cloudAccountId: id }
        const rows = unwrap(tenant).db('billing_sources')
        await rows
          .insert({ ...source, createdAt })
          .onConflict(
            unwrap(tenant).db.raw('(organization_id, cloud_account_id) where removed_at is null'),
          )
          .merge()
      })
    const scopes = [
      {},
      { scopeKind: 'provider', scopeValue: 'AWS' },
      { scopeKind: 'provider', scopeValue: 'Amazon Web Services' },
    ]
    const states = async () => Promise.all(scopes.map(async (scope) => (await budget(scope)).state))
    await since(new Date(`${dayAgo(6)}T00:00:00Z`))
    expect(await states()).toEqual(['ok', 'ok', 'ok'])
    await since(new Date(`${dayAgo(7)}T00:00:00Z`))
    expect(await states()).toEqual(['unknown', 'unknown', 'unknown'])
    expect(await budget({})).toMatchObject({ noForecastBecause: 'late_bill' })
    expect(await budget({ scopeKind: 'service', scopeValue: 'A' })).toMatchObject({ state: 'ok' })
    await load({ accountId: id, rows: [{ amount: 1 }] })
    expect(await states()).toEqual(['ok', 'ok', 'ok'])
  })

  test('an upload of years ago delays nothing, but is no bill of this month either', async () => {
    const { load, budget } = await world({
      source: 'old',
      completeThrough: dayAgo(500),
      rows: [{ ago: 500, amount: 5, service: 'Old' }],
    })
    const old = { scopeKind: 'service', scopeValue: 'Old' }
    expect(await budget({})).toMatchObject({ state: 'unknown', actual: 0 })
    await load({ rows: [{ amount: 1 }] })
    expect(await budget({})).toMatchObject({ state: 'ok', actual: 1 })
    expect(await budget(old)).toMatchObject({ state: 'unknown' })
  })

  test.each(['disconnected', 'without billing settings'])(
    'an account that is %s, whose cost is kept, delays nothing',
    async (how) => {
      const { owner, load, budget } = await world({ rows: [{ amount: 1 }] })
      const billing = { bucket: 'bills', prefix: '', region: 'eu-west-1', exportName: 'focus' }
      const connect = async () =>
        owner.post('/api/cloud/accounts', {
          provider: 'aws',
          name: 'gone',
          accountId: '123456789012',
          credentials: { roleArn: 'arn:aws:iam::123456789012:role/x' },
          billing,
        })
      const { account } = (await connect()).json()
      const rows = [{ ago: 20, amount: 5 }]
      await load({ accountId: account.id, completeThrough: dayAgo(10), rows })
      const made = await budget({})
      expect(made).toMatchObject({ state: 'unknown' })
      const at = `/api/cloud/accounts/${account.id}`
      const gone =
        how === 'disconnected'
          ? await owner.delete(`${at}?detach=true`)
          : await owner.patch(at, { billing: null })
      expect(gone.statusCode, gone.body).toBe(200)
      // Also of a budget whose figures were kept before.
      expect((await owner.get(`${url}/${made.id}`)).json().budget).toMatchObject({ state: 'ok' })
      expect(await budget({})).toMatchObject({ state: 'ok' })
      const back = how === 'disconnected' ? await connect() : await owner.patch(at, { billing })
      expect(back.json().account.id).toBe(account.id)
      expect((await owner.get(`${url}/${made.id}`)).json().budget).toMatchObject({
        state: 'unknown',
      })
    },
  )

  test('sums beyond every amount fail no answer', async () => {
    const rows = Array.from({ length: 5 }, () => ({ amount: '999999999999999999' }))
    const { budget } = await world({ rows })
    expect(await budget({})).toMatchObject({ state: 'exceeded' })
  })

  test('another organization’s cost is in no budget', async () => {
    await world({ rows: [{ amount: 50 }] })
    const { budget } = await world({ rows: [{ amount: 1 }] })
    expect(await budget({})).toMatchObject({ actual: 1 })
  })
})
