import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scoreAnomalies } from '../../../app/finops/score-anomalies.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { shownAnomalies } from '../../../store/finops/shown-anomalies.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dailyBills, levelCost } from '../../harness/daily-bills.ts'

const first = '2026-01-01'

describe('scoring after a swap', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const org = await harness.organization()
    const bills = dailyBills(harness.deps.store, org.id)
    const score = async (changed: Parameters<typeof scoreAnomalies>[2]) =>
      scoreAnomalies(harness.deps.store, org.id, changed)
    const shown = async () =>
      harness.deps.store.tenant(org.id, async (tenant) => shownAnomalies(tenant).list({}, 100))
    return { org, bills, score, shown, sourceId: await bills.source() }
  }

  test('a rise of the last day is open, one of long ago is resolved, and each day keeps its band', async () => {
    const { bills, score, shown, sourceId } = await made()
    const changed = await bills.load(sourceId, levelCost(first, 80, { at: { 40: 400, 79: 500 } }))
    expect(await score(changed)).toEqual({ anomalies: 2 })
    const [newest, oldest, ...more] = await shown()
    expect(more).toEqual([])
    expect(newest).toMatchObject({
      state: 'open',
      kind: 'rise',
      service: 'S3',
      day: dayAfter(first, 79),
      actual: '500.000000000000',
    })
    expect(oldest).toMatchObject({ state: 'resolved', firstDay: dayAfter(first, 40) })
    const [days] = await bills.ask(
      'select count(*)::integer as n, min(day) as first from anomaly_days',
    )
    expect(days).toEqual({ n: 80, first })
  })

  test('what is scored twice changes nothing, and says so', async () => {
    const { bills, score, shown, sourceId } = await made()
    const changed = await bills.load(sourceId, levelCost(first, 60, { at: { 59: 400 } }))
    await score(changed)
    const before = await shown()
    const [version] = await bills.ask('select version from cost_versions')
    expect(await score(changed)).toEqual({ anomalies: 0 })
    expect(await shown()).toEqual(before)
    expect(await bills.ask('select version from cost_versions')).toEqual([version])
  })

  test('people are told of an open one once, again when it has doubled, and never of history', async () => {
    const { bills, score, sourceId } = await made()
    const told = async () =>
      (
        await bills.ask(
          'select event from notices where organization_id = :organizationId order by id',
        )
      ).map(({ event }) => event)
    const at = { 20: 400, 69: 300 }
    await score(await bills.load(sourceId, levelCost(first, 70, { at })))
    expect(await told()).toEqual(['anomaly.opened'])
    await score(
      await bills.load(sourceId, levelCost('2026-03-01', 12, { at: { 10: 300, 11: 200 } })),
    )
    expect(await told()).toEqual(['anomaly.opened'])
    await score(
      await bills.load(
        sourceId,
        levelCost('2026-03-01', 13, { at: { 10: 300, 11: 200, 12: 600 } }),
      ),
    )
    expect(await told()).toEqual(['anomaly.opened', 'anomaly.grown'])
  })

  test('two scorings at once write each anomaly once', async () => {
    const { bills, score, shown, sourceId } = await made()
    const changed = await bills.load(sourceId, levelCost(first, 60, { at: { 59: 400 } }))
    await Promise.all([score(changed), score(changed), score(changed)])
    expect(await shown()).toHaveLength(1)
  })

  test('a restated day takes its anomaly back: gone from the list, and in the audit log', async () => {
    const { bills, score, shown, sourceId } = await made()
    await score(await bills.load(sourceId, levelCost(first, 75, { at: { 70: 400 } })))
    const [spike] = await shown()
    expect(spike).toBeDefined()
    const restated = levelCost(first, 75).filter(({ day }) => day >= '2026-03-01')
    await score(await bills.load(sourceId, restated))
    expect(await shown()).toEqual([])
    const entries = await bills.ask(
      `select detail from audit_entries where organization_id = :organizationId and event = 'finops.anomaly_taken_back'`,
    )
    expect(entries).toMatchObject([{ detail: { service: 'S3', firstDay: dayAfter(first, 70) } }])
  })

  test('day by day it finds what a scoring of the whole finds', async () => {
    const { bills, score, shown, sourceId } = await made()
    const all = levelCost(first, 75, { at: { 70: 300, 71: 310, 72: 320 } })
    await score(await bills.load(sourceId, all.slice(0, 69)))
    for (let count = 70; count <= 75; count += 1)
      await score(await bills.load(sourceId, all.slice(59, count)))
    const [found, ...more] = await shown()
    expect(more).toEqual([])
    const other = await made()
    await other.score(await other.bills.load(other.sourceId, all))
    const [whole] = await other.shown()
    expect([found?.firstDay, found?.lastDay, found?.impact]).toEqual([
      whole?.firstDay,
      whole?.lastDay,
      whole?.impact,
    ])
  })

  test('sub-accounts of a service in the same days are one, with the sum of their figures', async () => {
    const { bills, score, shown, sourceId } = await made()
    const one = levelCost(first, 60, { subAccountId: 'one', at: { 59: 900 } })
    const two = levelCost(first, 60, { subAccountId: 'two', at: { 59: 400 } })
    const apart = levelCost(first, 60, { service: 'EC2', at: { 59: 400 } })
    await score(await bills.load(sourceId, [...one, ...two, ...apart]))
    const found = await shown()
    expect(
      found
        .map(({ service }) => service)
        .map(String)
        .toSorted(),
    ).toEqual(['EC2', 'S3'])
    const folded = found.find(({ service }) => service === 'S3')
    expect(folded).toMatchObject({
      subAccountId: null,
      children: [{ subAccountId: 'two', actual: 400 }],
    })
    expect(Number(folded?.actual)).toBe(1300)
    expect(Number(folded?.impact)).toBeGreaterThan(1050)
  })

  test('purchases, taxes and corrections are no usage, and another organization sees nothing', async () => {
    const { bills, score, shown, sourceId } = await made()
    const usage = levelCost(first, 60)
    const tax = levelCost(first, 60, { category: 'Tax', at: { 59: 5000 } })
    await score(await bills.load(sourceId, [...usage, ...tax]))
    expect(await shown()).toEqual([])
    await score(await bills.load(sourceId, levelCost('2026-03-01', 20, { at: { 19: 900 } })))
    expect(await shown()).toHaveLength(1)
    expect(await (await made()).shown()).toEqual([])
  })
})
