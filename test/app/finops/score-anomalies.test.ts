import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scoreAnomalies } from '../../../app/finops/score-anomalies.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { anomalies } from '../../../store/finops/anomalies.ts'
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

  describe('two sub-accounts of one service', () => {
    /** What each costs on days that are not usual, by index. Told: events with the id of their anomaly. */
    const two = async () => {
      const { org, bills, score, shown, sourceId } = await made()
      type Exceptions = Record<number, number>
      const load = async (count: number, [a, b]: [Exceptions, Exceptions]) => {
        const one = levelCost(first, count, { subAccountId: 'one', at: a })
        const other = levelCost(first, count, { subAccountId: 'two', at: b })
        await score(await bills.load(sourceId, [...one, ...other]))
        return shown()
      }
      const told = async () =>
        bills.ask(
          `select event, subject_id::integer as id, severity from notices
           where organization_id = :organizationId order by notices.id`,
        )
      const [before] = await load(60, [{ 59: 400 }, { 59: 300 }])
      expect(before).toMatchObject({ children: [{ subAccountId: 'two' }] })
      const id = before?.id
      expect(await told()).toMatchObject([{ event: 'anomaly.opened', id }])
      const from = async (day: string) =>
        harness.deps.store.tenant(org.id, async (tenant) =>
          shownAnomalies(tenant).list({ from: day }, 100),
        )
      return { id, load, told, bills, from }
    }

    test('are told as one that grows, also where the other one becomes the dearest', async () => {
      const { id, load, told, from } = await two()
      const found = await load(61, [{ 59: 400 }, { 59: 300, 60: 700 }])
      expect(found).toMatchObject([
        { id, lastDay: dayAfter(first, 60), children: [{ subAccountId: 'two' }] },
      ])
      expect(await from(dayAfter(first, 60))).toMatchObject([{ id }])
      const [opened, grown, ...more] = await told()
      expect(opened).toMatchObject({ event: 'anomaly.opened', id })
      expect(grown).toMatchObject({ event: 'anomaly.grown', id })
      expect(more).toEqual([])
      // As severe as the dearest of them, so that it does not wait for the daily mail.
      const dear = await load(62, [{ 59: 400 }, { 59: 300, 60: 700, 61: 70_000 }])
      expect(dear).toMatchObject([{ id, severity: 'high', day: dayAfter(first, 61) }])
      // Of both on that day; a usual day is about 100.
      expect(Number(dear[0]?.actual)).toBeCloseTo(70_100, -1)
      expect((await told()).at(-1)).toMatchObject({ event: 'anomaly.grown', id, severity: 'high' })
    })

    test('stay one where the one that was told ends first', async () => {
      const { id, load, told } = await two()
      const at = { 59: 300, 60: 500, 61: 500, 62: 500, 63: 500 }
      await load(62, [{ 59: 400 }, at])
      const found = await load(64, [{ 59: 400 }, at])
      expect(found).toMatchObject([{ state: 'open', children: [{ id, subAccountId: 'one' }] }])
      // What was told under the id from before is compared with: it has not doubled since.
      expect((await told()).map(({ event }) => event)).toEqual(['anomaly.opened', 'anomaly.grown'])
    })

    test('stay one where the one below ends first', async () => {
      const { id, load, told, bills } = await two()
      const at = { 59: 400, 60: 450, 61: 450, 62: 450, 63: 450 }
      const found = await load(64, [at, { 59: 300 }])
      expect(found).toMatchObject([{ id, state: 'open', children: [{ subAccountId: 'two' }] }])
      const states = await bills.ask(
        'select state from anomalies where organization_id = :organizationId order by parent_id nulls first',
      )
      expect(states).toEqual([{ state: 'open' }, { state: 'resolved' }])
      expect((await told()).map(({ event }) => event)).toEqual(['anomaly.opened', 'anomaly.grown'])
    })

    test('are beside each other where a person acknowledged the first: the second is open and told', async () => {
      const { org, bills, score, shown, sourceId } = await made()
      const load = async (count: number, [a, b]: Array<Record<number, number>>) => {
        const one = levelCost(first, count, { subAccountId: 'one', ...(a && { at: a }) })
        const other = levelCost(first, count, { subAccountId: 'two', ...(b && { at: b }) })
        const changed = await bills.load(sourceId, [...one, ...other])
        await score(changed)
        return changed
      }
      await load(60, [{ 59: 300 }])
      const [seen] = await shown()
      const id = seen?.id ?? 0
      const { id: by } = await org.user('Deployer')
      await harness.deps.store.tenant(org.id, async (tenant) =>
        anomalies(tenant).decide(id, { state: 'acknowledged', comment: null, by }),
      )
      const changed = await load(61, [{ 59: 300, 60: 300 }, { 60: 50_000 }])
      const found = async () => Map.groupBy(await shown(), ({ state }) => state)
      expect((await found()).get('acknowledged')).toMatchObject([{ id, children: [] }])
      const [open, ...more] = (await found()).get('open') ?? []
      expect(open).toMatchObject({ subAccountId: 'two', severity: 'high', children: [] })
      expect(more).toEqual([])
      const told = await bills.ask(
        `select event, subject_id::integer as id from notices
         where organization_id = :organizationId order by notices.id`,
      )
      expect(told).toEqual([
        { event: 'anomaly.opened', id },
        { event: 'anomaly.opened', id: open?.id },
      ])
      // As an earlier version left it: the next scoring tells of it, also if its cost is the same.
      await bills.ask(
        `update anomalies set parent_id = :id, told_impact = null
         where organization_id = :organizationId and id = :below`,
        { id, below: open?.id },
      )
      await score(changed)
      expect((await found()).get('open')).toEqual([{ ...open, updatedAt: expect.anything() }])
    })
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
