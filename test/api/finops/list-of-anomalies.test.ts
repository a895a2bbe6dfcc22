import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { asTenant, unwrap } from '../../../store/driver/tenant.ts'
import { shownAnomalies, type AnomalyPlace } from '../../../store/finops/shown-anomalies.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dailyBills } from '../../harness/daily-bills.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

const count = 10_000

let harness: Harness
let org: TestOrganization
beforeAll(async () => {
  harness = await createHarness()
  org = await harness.organization()
  const bills = dailyBills(harness.deps.store, org.id)
  await bills.ask(manyAnomalies, { sourceId: await bills.source(), count })
  const owner = connectOwner(harness.config.databaseUrl)
  await owner.raw('analyze anomalies; analyze anomaly_series')
  await owner.destroy()
}, 120_000)
afterAll(async () => harness.close())

/** Of 200 services and one total, 20 a day. */
const manyAnomalies = `
  with made as (
    insert into anomaly_series (organization_id, source_id, key, provider, service, scope_kind, currency)
    select :organizationId, case when n > 0 then :sourceId::integer end, md5(n::text)::uuid,
      case when n > 0 then 'aws' end, case when n > 0 then 'Service ' || n end,
      case when n = 0 then 'total' end, 'USD'
    from generate_series(0, 200) n returning id),
  series as (select id, row_number() over (order by id) as place from made),
  days as (
    select n, ('2026-06-30'::date - n / 20) as day from generate_series(0, :count::integer - 1) n)
  insert into anomalies (organization_id, series_id, kind, severity, state, first_day, last_day, day, actual,
    expected, low, high, impact)
  select :organizationId, s.id, 'rise', 'low', case when n % 50 = 0 then 'open' else 'resolved' end, d.day, d.day,
    d.day, 200, 100, 80, 130, 100
  from days d join series s on s.place = 1 + n % 201`

type Page = { anomalies: Array<{ id: number; firstDay: string }>; nextCursor: string | null }

test('200: 10,000 are read page by page, each once, in at most 10 statements a page', async () => {
  const viewer = await org.user('Viewer')
  const read = async (cursor: string | null) => {
    const url = `/api/finops/anomalies?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`
    const { answer, statements } = await countStatements(async () => viewer.get(url))
    expect(answer.statusCode).toBe(200)
    return { page: answer.json<Page>(), statements: statements.length }
  }
  const found: Page['anomalies'] = []
  const counts = new Set<number>()
  let cursor: string | null = null
  do {
    const { page, statements } = await read(cursor)
    found.push(...page.anomalies)
    counts.add(statements)
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(found).toHaveLength(count)
  expect(new Set(found.map(({ id }) => id)).size).toBe(count)
  const sorted = found.toSorted((a, b) => b.firstDay.localeCompare(a.firstDay) || b.id - a.id)
  expect(found.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id))
  expect(Math.max(...counts)).toBeLessThanOrEqual(10)
}, 120_000)

test('200: a page goes on where the one before ended, also where its last anomaly was taken back', async () => {
  const viewer = await org.user('Viewer')
  const url = '/api/finops/anomalies?limit=5'
  const idsOf = ({ anomalies }: Page) => anomalies.map(({ id }) => id)
  const [one, both] = [
    (await viewer.get(url)).json<Page>(),
    (await viewer.get('/api/finops/anomalies?limit=10')).json<Page>(),
  ]
  const { platform } = harness.deps.store
  await platform('anomalies')
    .where({ id: one.anomalies.at(-1)?.id })
    .delete()
  const two = (await viewer.get(`${url}&cursor=${one.nextCursor}`)).json<Page>()
  expect([...idsOf(one), ...idsOf(two)]).toEqual(idsOf(both))
  for (const forged of ['1', '999999999999999'])
    expect((await viewer.get(`${url}&cursor=${forged}`)).statusCode, forged).toBe(200)
})

test('a page deep in the list reads no more of it than the first one', async () => {
  const places: AnomalyPlace[] = await harness.deps.store
    .platform('anomalies')
    .where({ organizationId: org.id })
    .orderBy([
      { column: 'firstDay', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .select('id', 'firstDay')
  for (const after of [undefined, places[9_000]]) {
    const nodes = await nodesOfPage(after)
    // One row more than the page, to know whether another one follows.
    const anomalies = nodes.filter((node) => node['Alias'] === 'a')
    expect(anomalies).toHaveLength(1)
    const [{ 'Actual Rows': rows = 0, 'Rows Removed by Filter': removed = 0 } = {}] = anomalies
    expect(Number(rows) + Number(removed)).toBeLessThanOrEqual(201)
  }
})

type Node = Record<string, unknown> & { Plans?: Node[] }
const nodesOf = (plan: Node): Node[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The nodes of the plans of a page's statements, as they ran. */
async function nodesOfPage(after: AnomalyPlace | undefined): Promise<Node[]> {
  return harness.deps.store.tenant(org.id, async (tenant) => {
    const { db, organizationId } = unwrap(tenant)
    const nodes: Node[] = []
    const raw = async (sql: string, bindings: Record<string, number>) => {
      const { rows } = await db.raw(`explain (analyze, format json) ${sql}`, bindings)
      nodes.push(...nodesOf(rows[0]['QUERY PLAN'][0].Plan))
      return { rows: [] }
    }
    const explained = new Proxy(db, {
      get: (target, name) => (name === 'raw' ? raw : Reflect.get(target, name)),
    })
    await shownAnomalies(asTenant(explained, organizationId)).list({}, 201, after)
    return nodes
  })
}
