import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

const url = '/api/finops/budgets'
const newBudget = (fields: Record<string, unknown> = {}) => ({
  name: 'Shop',
  amountMonthly: 1_000,
  scopeKind: 'all',
  ...fields,
})

describe('/api/finops/budgets', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const audited = async (org: TestOrganization, pattern: string) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .whereLike('event', pattern)
        .orderBy('id')
        .select('event', 'detail', 'targetLabel'),
    )

  test('201, 200: a budget is created, read by every member, changed and deleted, each audited', async () => {
    const org = await harness.organization()
    const [deployer, viewer] = [await org.user('Deployer'), await org.user('Viewer')]
    const made = await deployer.post(url, newBudget())
    expect(made.statusCode, made.body).toBe(201)
    const { ok, budget } = made.json()
    expect(ok).toBe(true)
    expect(budget).toEqual({
      ...newBudget(),
      id: expect.any(Number),
      currency: 'USD',
      scopeValue: null,
      threshold: 0.8,
      thresholdPct: 80,
      overBudget: 'warn',
      state: 'unknown',
      month: new Date().toISOString().slice(0, 7),
      actual: 0,
      forecast: null,
      forecastLow: null,
      forecastHigh: null,
      noForecastBecause: 'no_cost',
      forecastState: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const at = `${url}/${budget.id}`
    const changed = await deployer.patch(at, {
      name: 'Shops',
      thresholdPct: 55,
      amountMonthly: 20.5,
    })
    expect(changed.json().budget).toMatchObject({
      name: 'Shops',
      amountMonthly: 20.5,
      threshold: 0.55,
      thresholdPct: 55,
    })
    expect((await viewer.get(url)).json()).toEqual({
      budgets: [changed.json().budget],
      nextCursor: null,
    })
    expect((await viewer.get(at)).json()).toEqual({ budget: changed.json().budget })
    // As it was read: nothing changes, and nothing is audited.
    const { name, amountMonthly, threshold, thresholdPct } = changed.json().budget
    const again = await deployer.patch(at, { name, amountMonthly, threshold, thresholdPct })
    expect(again.json().budget).toEqual(changed.json().budget)
    expect((await deployer.delete(at)).json()).toEqual({ ok: true })
    expect((await deployer.delete(at)).statusCode).toBe(404)
    const entries = await audited(org, 'finops.%')
    expect(entries.map(({ event }) => event)).toEqual([
      'finops.budget_created',
      'finops.budget_updated',
      'finops.budget_deleted',
    ])
    expect(entries[1].detail).toEqual({
      name: { from: 'Shop', to: 'Shops' },
      threshold: { from: 0.8, to: 0.55 },
      amountMonthly: { from: 1000, to: 20.5 },
    })
  })

  test('201: a threshold as a share, in percent, or both if they agree; names may repeat', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    for (const [sent, share, percent] of [
      [{ threshold: 0.5 }, 0.5, 50],
      [{ thresholdPct: 33.3 }, 0.333, 33.3],
      [{ thresholdPct: 100 }, 1, 100],
      [{ threshold: 0.07, thresholdPct: 7 }, 0.07, 7],
      [{ threshold: 1e-12 }, 1e-12, 1e-10],
    ] as const) {
      const made = await deployer.post(url, newBudget(sent))
      expect(made.statusCode, made.body).toBe(201)
      expect(made.json().budget).toMatchObject({ threshold: share, thresholdPct: percent })
    }
    expect((await deployer.get(`${url}?limit=2`)).json().budgets).toHaveLength(2)
  })

  test('201: a scope is kept as it was sent, also when no bill has it yet', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    const { id } = await org.workspace()
    for (const [scopeKind, scopeValue] of [
      ['provider', 'Amazon Web Services'],
      ['service', 'Amazon Elastic Compute Cloud'],
      ['tag', 'team=a=b'],
      ['tag', 'team='],
      ['tag', 'untagged'],
      ['subAccount', '210987654321'],
      ['workspace', String(id)],
    ]) {
      const made = await deployer.post(url, newBudget({ scopeKind, scopeValue }))
      expect(made.statusCode, made.body).toBe(201)
      expect(made.json().budget).toMatchObject({ scopeKind, scopeValue, state: 'unknown' })
      const read = await deployer.get(`${url}/${made.json().budget.id}`)
      expect(read.json().budget).toEqual(made.json().budget)
    }
    const byNumber = await deployer.post(url, newBudget({ scopeKind: 'workspace', scopeValue: id }))
    expect(byNumber.json().budget.scopeValue).toBe(String(id))
  })

  test('200: another kind of scope needs its value; `all` has none', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    const made = await deployer.post(url, newBudget({ scopeKind: 'tag', scopeValue: 'team=a' }))
    const at = `${url}/${made.json().budget.id}`
    expect((await deployer.patch(at, { scopeKind: 'service' })).statusCode).toBe(400)
    expect((await deployer.patch(at, { scopeValue: null })).statusCode).toBe(400)
    expect((await deployer.patch(at, { scopeValue: 'team=b' })).json().budget).toMatchObject({
      scopeKind: 'tag',
      scopeValue: 'team=b',
    })
    expect((await deployer.patch(at, { scopeKind: 'all' })).json().budget.scopeValue).toBe(null)
    expect((await deployer.patch(at, { scopeValue: 'team=b' })).statusCode).toBe(400)
  })

  test('400: invalid amounts, thresholds, scopes and fields', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    for (const fields of [
      { name: undefined },
      { name: '' },
      { name: '  ' },
      { name: 'two\nlines' },
      { name: 'x'.repeat(201) },
      { amountMonthly: undefined },
      { amountMonthly: 0 },
      { amountMonthly: -1 },
      { amountMonthly: 1e-13 },
      { amountMonthly: 1e308 },
      { amountMonthly: '7' },
      { amountMonthly: null },
      { threshold: 0 },
      { threshold: 1.01 },
      { threshold: -0.5 },
      { threshold: 1e-13 },
      { threshold: null },
      { thresholdPct: 0 },
      { thresholdPct: 100.5 },
      { thresholdPct: 1e-11 },
      { threshold: 0.5, thresholdPct: 51 },
      { scopeKind: undefined },
      { scopeKind: 'team' },
      { scopeKind: 'all', scopeValue: 'x' },
      { scopeKind: 'provider' },
      { scopeKind: 'provider', scopeValue: '' },
      { scopeKind: 'provider', scopeValue: '   ' },
      { scopeKind: 'service', scopeValue: 'x'.repeat(10_000) },
      { scopeKind: 'tag', scopeValue: 'team' },
      { scopeKind: 'tag', scopeValue: '=shop' },
      { scopeKind: 'account', scopeValue: '1e3' },
      { scopeKind: 'workspace', scopeValue: '99999999999' },
      { scopeKind: 'workspace', scopeValue: '01' },
      { overBudget: 'deny' },
      { region: 'eu' },
      { id: 7 },
    ]) {
      const response = await deployer.post(url, newBudget(fields))
      expect([response.statusCode, response.json().code], JSON.stringify(fields)).toEqual([
        400,
        'validation_failed',
      ])
      expect(response.json().details.length).toBeGreaterThan(0)
    }
    // What no client's JSON.stringify writes.
    for (const amount of ['-0', '1e400', 'NaN']) {
      const response = await harness.app.inject({
        method: 'POST',
        url,
        payload: `{"name":"x","scopeKind":"all","amountMonthly":${amount}}`,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${await deployer.token()}`,
        },
      })
      expect(response.statusCode, amount).toBe(400)
    }
    expect((await deployer.get(`${url}?scope=all`)).statusCode).toBe(400)
    expect((await deployer.get(url)).json().budgets).toEqual([])
  })

  test('403: a Viewer may only read, and what was tried is audited', async () => {
    const org = await harness.organization()
    const [deployer, viewer] = [await org.user('Deployer'), await org.user('Viewer')]
    const { budget } = (await deployer.post(url, newBudget())).json()
    const tried = [
      await viewer.post(url, newBudget()),
      await viewer.patch(`${url}/${budget.id}`, { name: 'x' }),
      await viewer.delete(`${url}/${budget.id}`),
    ]
    expect(tried.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403])
    expect(await audited(org, 'cloud.rbac_denied')).toHaveLength(3)
    expect((await viewer.get(url)).json().budgets).toEqual([budget])
  })

  test('404: the budgets, workspaces and accounts of another organization', async () => {
    const [org, other] = [await harness.organization(), await harness.organization()]
    const [deployer, stranger] = [await org.user('Deployer'), await other.user('Owner')]
    const { budget } = (await deployer.post(url, newBudget())).json()
    const at = `${url}/${budget.id}`
    for (const response of [
      await stranger.get(at),
      await stranger.patch(at, { amountMonthly: 'no number' }),
      await stranger.delete(at),
      await stranger.post(
        url,
        newBudget({ scopeKind: 'workspace', scopeValue: String((await org.workspace()).id) }),
      ),
      await stranger.post(url, newBudget({ scopeKind: 'account', scopeValue: '7' })),
    ]) {
      expect(response.statusCode).toBe(404)
      expect(response.json()).toEqual({ error: 'Not found', code: 'not_found' })
    }
    expect((await stranger.get(url)).json().budgets).toEqual([])
    expect((await deployer.get(at)).json().budget).toEqual(budget)
  })

  test('409: the 201st budget, also of two that come at once', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('budgets')
        .insert(
          Array.from({ length: 199 }, () => ({
            organizationId: org.id,
            name: 'x',
            amountMonthly: 1,
            scopeKind: 'all',
            threshold: 1,
          })),
        ),
    )
    const answers = await Promise.all([1, 2, 3].map(async () => deployer.post(url, newBudget())))
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409,
    ])
  })
})
