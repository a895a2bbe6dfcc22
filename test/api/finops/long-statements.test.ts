import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { withinWindow } from '../../../store/finops/cost/within-window.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dailyBills, levelCost } from '../../harness/daily-bills.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => harness.close())

/** Statements that may take 20 s may take half a second. */
function shortenLimits(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the connection that it was called on
  const send: (...args: never[]) => unknown = Client.prototype.query
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    const values = (args[0] as { values?: unknown[] } | undefined)?.values ?? args[1]
    if (Array.isArray(values) && values[0] === '20000ms') values[0] = '500ms'
    return Reflect.apply(send, this, args)
  })
}

async function world() {
  const org = await harness.organization()
  const bills = dailyBills(harness.deps.store, org.id)
  const day = new Date().toISOString().slice(0, 10)
  await bills.load(await bills.source(), levelCost(`${day.slice(0, 7)}-01`, Number(day.slice(8))))
  const viewer = await org.user('Viewer')
  /** While nobody can read the table. */
  const codesOf = async (table: string, urls: string[]) => {
    const owner = connectOwner(harness.config.databaseUrl)
    const codes = await owner.transaction(async (held) => {
      await held.raw('lock table ?? in access exclusive mode', [table])
      const answers = await Promise.all(urls.map(async (url) => viewer.get(url)))
      return answers.map(({ statusCode, json }) => [statusCode, json().code])
    })
    await owner.destroy()
    return codes
  }
  return { org, viewer, codesOf }
}

test('400: sums of cost that take too long are refused as a window that is too large', async () => {
  const { codesOf } = await world()
  shortenLimits()
  const urls = ['/api/finops/cost', '/api/finops/cost/series']
  expect(await codesOf('cost_daily', urls)).toEqual([
    [400, 'window_too_large'],
    [400, 'window_too_large'],
  ])
})

test('400: lists of anomalies and of audit entries that take too long are too broad', async () => {
  const { codesOf } = await world()
  shortenLimits()
  const broad = [400, 'search_too_broad']
  expect(await codesOf('anomaly_runs', ['/api/finops/anomalies', '/api/finops/cost'])).toEqual([
    broad,
    broad,
  ])
  expect(await codesOf('audit_seals', ['/api/audit'])).toEqual([broad])
})

test('503: the cost of the first page, which has no window to narrow', async () => {
  const { viewer, codesOf } = await world()
  shortenLimits()
  expect(await codesOf('cost_days', ['/api/console/data'])).toEqual([[503, 'database_unavailable']])
  expect((await viewer.get('/api/console/data')).statusCode).toBe(200)
})

test('400: the resources of a workspace, whose sums can be read', async () => {
  const { org, codesOf } = await world()
  const { id } = await org.workspace()
  shortenLimits()
  expect(await codesOf('cost_resources', [`/api/workspaces/${id}/cost`])).toEqual([
    [400, 'window_too_large'],
  ])
})

test('503: the cost of budgets, which have no window to narrow', async () => {
  const { org, codesOf } = await world()
  const budget = { name: 'all', amountMonthly: 1, scopeKind: 'all' }
  const owner = await org.user('Owner')
  expect((await owner.post('/api/finops/budgets', budget)).statusCode).toBe(201)
  const bills = dailyBills(harness.deps.store, org.id)
  await bills.ask('delete from budget_figures where organization_id = :organizationId')
  shortenLimits()
  expect(await codesOf('cost_daily', ['/api/finops/budgets'])).toEqual([
    [503, 'database_unavailable'],
  ])
})

test('the limit ends with the statement that it is of', async () => {
  const { org } = await world()
  const limits = await harness.deps.store.tenant(org.id, async (tenant) => {
    const limit = async (): Promise<string> =>
      (await unwrap(tenant).db.raw('show statement_timeout')).rows[0].statement_timeout
    return [await withinWindow(tenant, limit), await limit()]
  })
  expect(limits).toEqual(['20s', '0'])
})
