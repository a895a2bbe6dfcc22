import { afterAll, beforeAll, expect, test } from 'vitest'
import { anomalyDays, type StoredDay } from '../../../store/finops/anomaly-days.ts'
import { anomalySeries } from '../../../store/finops/anomaly-series.ts'
import { rowsAtOnce } from '../../../store/finops/in-pages.ts'
import { scopeSeries } from '../../../store/finops/scope-series.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dailyBills, levelCost } from '../../harness/daily-bills.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const [first, last] = ['2020-01-01', '2024-05-18']
const days = 1_600

async function world() {
  const org = await harness.organization()
  const bills = dailyBills(harness.deps.store, org.id)
  const sourceId = await bills.source()
  await bills.load(sourceId, levelCost(first, days, { service: 'S3' }))
  await bills.ask(
    `insert into anomaly_series (organization_id, source_id, key, provider, service, scope_kind, currency)
     values (:organizationId, :sourceId, md5('1')::uuid, 'aws', 'S3', null, 'USD'),
       (:organizationId, :sourceId, md5('2')::uuid, 'aws', 'EC2', null, 'USD'),
       (:organizationId, null, md5('3')::uuid, null, null, 'total', 'USD')`,
    { sourceId },
  )
  await bills.ask(
    `insert into anomaly_days (organization_id, series_id, day, actual, expected, low, high, scale, kind, run,
       is_learned, drift, share, weekly, monthly)
     select :organizationId, id, '2020-01-01'::date + n, n, 1, 0, 2, 0.5, null, 0, false, 0, 1, 1, null
     from anomaly_series, generate_series(0, :days::integer - 1) n where organization_id = :organizationId`,
    { days },
  )
  const ids = (
    await bills.ask(
      'select id from anomaly_series where organization_id = :organizationId order by id',
    )
  ).map(({ id }) => Number(id))
  return { org, ids, sourceId }
}

async function all<Row>(pages: AsyncIterable<Row[]>): Promise<{ sizes: number[]; rows: Row[] }> {
  const [sizes, rows]: [number[], Row[]] = [[], []]
  for await (const page of pages) {
    sizes.push(page.length)
    rows.push(...page)
  }
  return { sizes, rows }
}

/** One page is parsed and mapped in one turn of the event loop. */
test('days and amounts of series of many years come in pages, each once', async () => {
  const { org, ids, sourceId } = await world()
  await harness.deps.store.tenant(org.id, async (tenant) => {
    const found = await all<StoredDay>(anomalyDays(tenant).since(ids, first))
    expect(found.sizes).toEqual([1_000, 1_000, 1_000, 1_000, 800])
    expect(rowsAtOnce).toBe(1_000)
    const places = found.rows.map(({ seriesId, day }) => `${seriesId} ${day}`)
    expect(places).toEqual(places.toSorted())
    expect(new Set(places).size).toBe(3 * days)
    expect(found.rows[days - 1]).toMatchObject({ seriesId: ids[0], day: last, isLearned: false })

    const at = { from: first, through: last }
    const [ofService = 0, , ofTotal = 0] = ids
    const amounts = [
      await all(anomalySeries(tenant).amounts(sourceId, { ids: [ofService], ...at })),
      await all(scopeSeries(tenant).amounts({ ids: [ofTotal], ...at })),
      await all(
        scopeSeries(tenant).amountsOfSources({ ids: [ofTotal], sourceIds: [sourceId], ...at }),
      ),
    ]
    for (const { sizes, rows } of amounts) {
      expect(sizes).toEqual([1_000, 600])
      expect(new Set(rows.map(({ day }) => day)).size).toBe(days)
      expect(rows.every(({ amount }) => typeof amount === 'string')).toBe(true)
    }
    // A caller that stops early leaves nothing that the next one meets.
    for await (const page of anomalyDays(tenant).since(ids, first)) if (page.length > 0) break
    expect((await all(anomalyDays(tenant).since(ids, last))).rows).toHaveLength(3)
  })
})

test('of one series some days are read, not all from the first of them on', async () => {
  const { org, ids } = await world()
  await harness.deps.store.tenant(org.id, async (tenant) => {
    const read = async (from: string, through: string) =>
      (await anomalyDays(tenant).between(ids[0] ?? 0, from, through)).map(({ day }) => day)
    expect(await read('2020-01-30', '2020-02-02')).toEqual([
      '2020-01-30',
      '2020-01-31',
      '2020-02-01',
      '2020-02-02',
    ])
    expect(await read(first, last)).toHaveLength(1_100)
  })
})
