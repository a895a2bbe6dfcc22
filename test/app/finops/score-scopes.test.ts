import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scoreScopes } from '../../../app/finops/score-scopes.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { removeSource } from '../../../app/finops/remove-source.ts'
import { systemActor } from '../../../store/audit/audit-log.ts'
import { anomalies } from '../../../store/finops/anomalies.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scopeBills, scopeFirstDay, smallCosts } from '../../harness/scope-bills.ts'

const day = (index: number) => dayAfter(scopeFirstDay, index)

describe('the whole cost of an organization', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const org = await harness.organization()
    const of = scopeBills(harness.deps.store, org.id)
    return { ...of, org, sourceId: await of.bills.source() }
  }

  test('a rise that each service has too little of is told once, and twice is nothing new', async () => {
    const { org, load, shown, scopes, told, sourceId } = await made()
    expect(await load(sourceId, smallCosts(60, { at: { 59: 280 } }))).toBe(1)
    expect(await shown()).toMatchObject([
      {
        provider: null,
        service: null,
        scope: { kind: 'total', value: 'all' },
        accountId: null,
        source: null,
        currency: 'USD',
        state: 'open',
        firstDay: day(59),
        actual: '280.000000000000',
      },
    ])
    expect(await scopes()).toEqual([['all', day(59), 80]])
    expect(await told()).toEqual([{ event: 'anomaly.opened', subjectLabel: 'All spend' }])
    const at = { organizationId: org.id, from: scopeFirstDay }
    expect(await scoreScopes(harness.deps.store, at)).toEqual({ anomalies: 0 })
    expect(await told()).toHaveLength(1)
  })

  test('what one service explains is told of the service alone', async () => {
    const { load, shown, told, sourceId } = await made()
    await load(sourceId, smallCosts(60, { spikes: { 40: 90, 59: 300 } }))
    expect((await shown()).map(({ service, state }) => [service, state])).toEqual([
      ['Service 0', 'open'],
      ['Service 0', 'resolved'],
    ])
    expect(await told()).toHaveLength(1)
  })

  test('what a service leaves unexplained is told of the whole cost too, and neither hides the other', async () => {
    const { load, shown, scopes, sourceId } = await made()
    await load(sourceId, smallCosts(60, { at: { 59: 280 }, spikes: { 59: 100 } }))
    expect(
      (await shown())
        .map(({ service }) => service)
        .map(String)
        .toSorted(),
    ).toEqual(['Service 0', 'null'])
    // 19 services cost 4 more each; the one that costs 90 more explains itself.
    expect(await scopes()).toEqual([['all', day(59), 76]])
    const [total] = (await shown()).filter(({ scope }) => scope)
    expect(Number(total?.actual) - Number(total?.expected)).toBeCloseTo(76, 3)
    expect(Number(total?.actual)).toBeGreaterThan(Number(total?.high))
  })

  test('a small rest is none: it must be beyond the band by itself', async () => {
    const { load, scopes, sourceId } = await made()
    await load(sourceId, smallCosts(60, { at: { 59: 240 }, spikes: { 59: 100 } }))
    expect(await scopes()).toEqual([])
  })

  test('days that are restated into one service take it back, though the whole cost is the same', async () => {
    const { bills, load, scopes, told, sourceId } = await made()
    await load(sourceId, smallCosts(59, {}))
    const march = { from: '2026-02-01' }
    await load(sourceId, smallCosts(28, { ...march, at: { 27: 280 } }))
    expect(await scopes()).toEqual([['all', '2026-02-28', 80]])
    await load(sourceId, smallCosts(28, { ...march, spikes: { 27: 90 } }))
    expect(await scopes()).toEqual([])
    const entries = await bills.ask(
      `select detail from audit_entries where organization_id = :organizationId and event = 'finops.anomaly_taken_back'`,
    )
    expect(entries).toMatchObject([
      { detail: { scope: { kind: 'total', value: 'all' }, provider: null } },
    ])
    expect(await told()).toMatchObject([
      { subjectLabel: 'All spend' },
      { subjectLabel: 'aws Service 0' },
    ])
    await load(sourceId, smallCosts(28, march))
    expect(await bills.ask('select id from anomalies')).toEqual([])
  })

  test('it grows, and is over three days after its last day', async () => {
    const { load, shown, told, sourceId } = await made()
    await load(sourceId, smallCosts(60, { at: { 59: 280 } }))
    await load(sourceId, smallCosts(3, { from: '2026-03-01', at: { 0: 280, 1: 290 } }))
    expect((await told()).map(({ event }) => event)).toEqual(['anomaly.opened', 'anomaly.grown'])
    await load(sourceId, smallCosts(7, { from: '2026-03-01', at: { 0: 280, 1: 290 } }))
    expect(await shown()).toMatchObject([{ state: 'resolved', lastDay: '2026-03-02' }])
  })

  test('a verdict is kept and makes it less strict', async () => {
    const { org, bills, load, shown, sourceId } = await made()
    await load(sourceId, smallCosts(50, { at: { 49: 280 } }))
    const [found] = await shown()
    const by = await org.user('Deployer')
    await harness.deps.store.tenant(org.id, async (tenant) =>
      anomalies(tenant).decide(found?.id ?? 0, { state: 'not_anomaly', comment: null, by: by.id }),
    )
    await load(sourceId, smallCosts(28, { from: '2026-02-01', at: { 18: 280 } }))
    expect(await shown()).toMatchObject([{ id: found?.id, state: 'not_anomaly' }])
    const bands = await bills.ask(
      `select d.high - d.expected as band from anomaly_days d join anomaly_series s on s.id = d.series_id
       where s.scope_kind = 'total' and d.day in ('2026-02-18', '2026-02-28') order by d.day`,
    )
    expect(Number(bands[1]?.['band'])).toBeGreaterThan(Number(bands[0]?.['band']))
  })

  test('a service that is judged less strictly since a verdict raises no alarm of the whole', async () => {
    const { org, load, shown, sourceId } = await made()
    const one = { services: 1, level: 200 }
    await load(sourceId, smallCosts(50, { ...one, at: { 49: 300 } }))
    const [found] = await shown()
    const by = await org.user('Deployer')
    await harness.deps.store.tenant(org.id, async (tenant) =>
      anomalies(tenant).decide(found?.id ?? 0, { state: 'not_anomaly', comment: null, by: by.id }),
    )
    // Above the band of before, within the one of now.
    await load(sourceId, smallCosts(28, { ...one, from: '2026-02-01', at: { 18: 300, 27: 256 } }))
    expect((await shown()).filter(({ state }) => state !== 'not_anomaly')).toEqual([])
  })

  test('a second bill that begins is no rise', async () => {
    const { bills, load, scopes, sourceId } = await made()
    await load(sourceId, smallCosts(60))
    const second = await bills.source('second')
    await load(second, smallCosts(8, { from: day(52), services: 5, level: 100 }))
    expect(await scopes()).toEqual([])
  })

  test('a bill that is behind the others takes no day back', async () => {
    const { bills, load, scopes, told, sourceId } = await made()
    await load(sourceId, smallCosts(60, { at: { 59: 280 } }))
    const second = await bills.source('second')
    await load(second, smallCosts(14, { from: day(32), services: 1, level: 5 }))
    expect((await scopes()).map(([value, at]) => [value, at])).toEqual([['all', day(59)]])
    expect(await told()).toHaveLength(1)
  })

  test('each currency is a total of its own: a rate raises no alarm', async () => {
    const { load, shown, sourceId } = await made()
    const euros = smallCosts(60, { currency: 'EUR', at: { 59: 280 } })
    await load(sourceId, [...smallCosts(60), ...euros])
    expect((await shown()).map(({ currency, scope }) => [currency, scope?.kind])).toEqual([
      ['EUR', 'total'],
    ])
  })

  test('two scorings at once write each anomaly once, and another organization sees nothing', async () => {
    const { org, bills, shown, told, sourceId } = await made()
    await bills.load(sourceId, smallCosts(60, { at: { 59: 280 } }))
    const at = { organizationId: org.id, from: scopeFirstDay }
    await Promise.all([1, 2, 3].map(async () => scoreScopes(harness.deps.store, at)))
    expect(await shown()).toHaveLength(1)
    expect(await told()).toHaveLength(1)
    expect(await (await made()).shown()).toEqual([])
  })

  test('with the last bill it is gone', async () => {
    const { org, bills, load, shown, sourceId } = await made()
    await load(sourceId, smallCosts(60, { at: { 59: 280 } }))
    await harness.deps.store.tenant(org.id, async (tenant) =>
      removeSource(
        tenant,
        { id: sourceId, cloudAccountId: null, name: 'uploaded', createdAt: new Date() },
        systemActor,
      ),
    )
    await scoreScopes(harness.deps.store, { organizationId: org.id, from: scopeFirstDay })
    expect(await shown()).toEqual([])
    expect(await bills.ask('select id from anomalies')).toEqual([])
  })
})
