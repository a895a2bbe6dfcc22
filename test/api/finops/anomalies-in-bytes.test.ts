import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dailyBills, levelCost } from '../../harness/daily-bills.ts'
import { scopeBills, smallCosts } from '../../harness/scope-bills.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A service of `count`, and of each `children` sub-accounts below it, all with names of `length` characters. */
const manyChildren = `
  with made as (
    insert into anomaly_series (organization_id, source_id, key, provider, service, sub_account_id, currency)
    select :organizationId, :sourceId, md5(n || ' ' || c)::uuid, 'aws',
      rpad('Service ' || n || ' ', :length::integer, 's'), rpad(n || ' ' || c || ' ', :length::integer, 'é'), 'USD'
    from generate_series(1, :count::integer) n, generate_series(0, :children::integer) c
    returning id, service),
  placed as (select id, service, row_number() over (partition by service order by id) = 1 as is_first from made),
  parents as (
    insert into anomalies (organization_id, series_id, kind, severity, state, first_day, last_day, day, actual,
      expected, low, high, impact)
    select :organizationId, id, 'rise', 'low', 'open', '2026-03-10', '2026-03-10', '2026-03-10', 200, 100, 80, 130, 100
    from placed where is_first returning id, series_id)
  insert into anomalies (organization_id, series_id, parent_id, kind, severity, state, first_day, last_day, day,
    actual, expected, low, high, impact)
  select :organizationId, c.id, a.id, 'rise', 'low', 'open', '2026-03-10', '2026-03-10', '2026-03-10', 200, 100, 80,
    130, 100
  from placed c join placed p on p.service = c.service and p.is_first and not c.is_first
    join parents a on a.series_id = p.id`

type Anomaly = {
  id: number
  service: string
  subAccountId: string | null
  children: Array<{ subAccountId: string }>
  childCount: number
  drivers: Array<{ value: string }>
}

async function worldWith(values: { count: number; children: number; length: number }) {
  const org = await harness.organization()
  const bills = dailyBills(harness.deps.store, org.id)
  const sourceId = await bills.source()
  await bills.load(sourceId, levelCost('2026-03-01', 20))
  await bills.ask(manyChildren, { sourceId, ...values })
  const viewer = await org.user('Viewer')
  return async (
    url: string,
  ): Promise<{ body: string; anomalies: Anomaly[]; next: string | null }> => {
    const { statusCode, body } = await viewer.get(`/api/finops/${url}`)
    expect(statusCode, body.slice(0, 500)).toBe(200)
    const { anomalies, nextCursor } = JSON.parse(body)
    return { body, anomalies, next: nextCursor }
  }
}

test('200: a page ends by its bytes, and the pages have each anomaly once', async () => {
  const count = 250
  const get = await worldWith({ count, children: 25, length: 1_000 })
  const found: Anomaly[] = []
  let pages = 0
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body, anomalies, next } = await get(
      `anomalies?limit=200${cursor && `&cursor=${cursor}`}`,
    )
    expect(Buffer.byteLength(body)).toBeLessThan(1_048_576)
    expect(anomalies.length).toBeGreaterThan(0)
    found.push(...anomalies)
    cursor = next
    pages += 1
  }
  expect(pages).toBeGreaterThan(2)
  expect(new Set(found.map(({ id }) => id)).size).toBe(count)
  expect(found).toHaveLength(count)
  // 8 KiB of names of 2 KB each, and the three that are drivers are among them.
  for (const { children, childCount, drivers } of found) {
    expect([children.length, childCount]).toEqual([4, 25])
    expect(drivers).toHaveLength(3)
  }
})

test('200: the payload has the newest anomalies of 768 KiB, with names of usual length all 500', async () => {
  const long = await worldWith({ count: 250, children: 25, length: 1_000 })
  const cut = await long('cost?from=2026-03-01&to=2026-03-31')
  expect(Buffer.byteLength(cut.body)).toBeLessThan(2_097_152)
  expect(cut.anomalies.length).toBeGreaterThan(20)
  expect(cut.anomalies.length).toBeLessThan(250)
  const ids = cut.anomalies.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted((a, b) => b - a))
  const usual = await worldWith({ count: 600, children: 2, length: 20 })
  expect((await usual('cost?from=2026-03-01&to=2026-03-31')).anomalies).toHaveLength(500)
}, 60_000)

test('200: anomalies without a sub-account are listed below another one', async () => {
  const org = await harness.organization()
  const bills = dailyBills(harness.deps.store, org.id)
  const sourceId = await bills.source()
  await bills.load(sourceId, levelCost('2026-03-01', 20))
  await bills.ask(manyChildren, { sourceId, count: 1, children: 3, length: 20 })
  await bills.ask(
    'update anomaly_series set sub_account_id = null where organization_id = :organizationId',
  )
  const { anomalies } = (await (await org.user('Viewer')).get('/api/finops/anomalies')).json()
  expect(anomalies).toHaveLength(1)
  expect(
    anomalies[0].children.map(({ subAccountId }: { subAccountId: string | null }) => subAccountId),
  ).toEqual([null, null, null])
})

/** As they were stored before the reader of bills bounded names. */
test('200: longer names than bills may have end with an ellipsis', async () => {
  const get = await worldWith({ count: 1, children: 2, length: 300_000 })
  const { body, anomalies } = await get('anomalies')
  expect(Buffer.byteLength(body)).toBeLessThan(60_000)
  const [only] = anomalies
  expect(only?.service).toMatch(/^Service 1 s{2037}…$/)
  expect(only?.children[0]?.subAccountId).toMatch(/^1 \d é{2043}…$/)
  const one = await get(`anomalies/${only?.id}`)
  expect(Buffer.byteLength(one.body)).toBeLessThan(60_000)
})

test('a driver has 500 characters, the last of them an ellipsis where its value is longer', async () => {
  const org = await harness.organization()
  const bills = scopeBills(harness.deps.store, org.id)
  const lines = smallCosts(60, { services: 40, at: { 59: 560 } })
  const subAccountOf = (length: number) => 's'.repeat(length)
  await bills.load(
    await bills.bills.source(),
    lines.map((line) => ({
      ...line,
      subAccountId: subAccountOf(line.service === 'Service 1' ? 500 : 501),
    })),
  )
  const [total] = await bills.shown()
  expect(total?.drivers.map(({ value }) => value)).toEqual([
    `${subAccountOf(499)}…`,
    subAccountOf(500),
  ])
})
