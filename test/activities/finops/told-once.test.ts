import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { endIngest } from '../../../activities/finops/end-ingest.ts'
import { acceptSlice, discardSlice } from '../../../app/finops/decide-slice.ts'
import { sliceDecisions } from '../../../store/finops/slice-decisions.ts'
import { shownAnomalies } from '../../../store/finops/shown-anomalies.ts'
import { systemActor } from '../../../store/audit/audit-log.ts'
import { scoreAcceptedTask } from '../../../worker/tasks/score-accepted.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'

let harness: Harness
let reading: BillReading
let steps: Awaited<ReturnType<typeof ingestSteps>>
beforeAll(async () => {
  harness = await createHarness()
  reading = await billReading(harness)
})
afterAll(async () => {
  await reading.close()
  await harness.close()
})
beforeEach(async () => {
  steps = await ingestSteps(harness, reading)
})

const rows = (table: string) =>
  harness.deps.store.platform(table).where({ organizationId: steps.organizationId }).orderBy('id')
const told = async (): Promise<string[]> => rows('notices').pluck('event')
const shown = async () =>
  harness.deps.store.tenant(steps.organizationId, async (tenant) =>
    shownAnomalies(tenant).list({}, 100),
  )
const month = (count: number, { spike = 0 } = {}) => {
  const costs = Array.from({ length: count }, (_, day) => 100 + (day % 3))
  if (spike > 0) costs[count - 1] = spike
  return costs
}
const put = (period: string, costs: Array<number | string>) => {
  steps.cloud.months[period] = focusCsv(period, costs)
}

test('a spike is told once, and one that is restated away is gone', async () => {
  put('2026-09', month(30))
  put('2026-10', month(31, { spike: 900 }))
  const first = await steps.ingest()
  expect(first).toMatchObject({ state: 'succeeded', anomalies: 1 })
  expect(await shown()).toMatchObject([{ state: 'open', firstDay: '2026-10-31' }])
  expect(await told()).toEqual(['anomaly.opened'])
  await steps.hourly()
  // A restatement that leaves it tells nobody again.
  put('2026-10', month(31, { spike: 901 }))
  await steps.ingest()
  expect(await told()).toEqual(['anomaly.opened'])

  put('2026-10', month(31))
  expect(await steps.ingest(2)).toMatchObject({ state: 'succeeded', recordsUpserted: 1 })
  expect(await shown()).toEqual([])
  expect(await rows('anomalies')).toEqual([])
  expect(await told()).toEqual(['anomaly.opened'])
  const takenBack = (await rows('audit_entries').pluck('event')).filter(
    (event) => event === 'finops.anomaly_taken_back',
  )
  expect(takenBack).toHaveLength(1)
  // Reads eight bills, each in a sandbox.
}, 300_000)

describe('a bill that became smaller', () => {
  const by = { actor: systemActor, userId: null }
  const decide = async (work: typeof acceptSlice, id: number) =>
    harness.deps.store.tenant(steps.organizationId, async (tenant) => work(tenant, id, by))
  const suspectOf = async () =>
    (await rows('billing_slices').where({ state: 'suspect' }).pluck('id'))[0]
  const score = async () => scoreAcceptedTask(harness.deps).run()

  test('is told once while one waits, and again after a person decided', async () => {
    put('2026-09', month(30))
    await steps.ingest()
    for (const count of [10, 9]) {
      put('2026-09', month(count))
      await steps.ingest()
    }
    expect(await told()).toEqual(['slice.suspect'])
    const [notice] = await rows('notices')
    expect(notice).toMatchObject({ subjectLabel: 'own, 2026-09', path: '/cost/bills' })
    expect(notice.lines[0]).toContain('10 days in place of 30')
    await decide(discardSlice, await suspectOf())
    put('2026-09', month(7))
    await steps.ingest()
    expect(await told()).toEqual(['slice.suspect', 'slice.suspect'])
  })

  test('is scored at once when it is accepted, and its anomaly told', async () => {
    put('2026-09', month(30))
    put('2026-10', month(31))
    await steps.ingest()
    put('2026-10', month(30, { spike: 900 }))
    const { id } = await steps.ingest()
    expect(await shown()).toEqual([])
    await decide(acceptSlice, await suspectOf())
    await Promise.all([score(), score()])
    expect(await shown()).toMatchObject([{ state: 'open', firstDay: '2026-10-30' }])
    expect(await told()).toEqual(['slice.suspect', 'anomaly.opened'])
    expect((await steps.shown(id)).anomalies).toBe(1)
    await score()
    expect(await rows('billing_slices').whereNotNull('scoreAt')).toEqual([])
    expect(await told()).toHaveLength(2)
  })

  test('whose scoring fails is scored later by another worker', async () => {
    put('2026-10', month(31))
    await steps.ingest()
    put('2026-10', month(30))
    await steps.ingest()
    await decide(acceptSlice, await suspectOf())
    const { store, log } = harness.deps
    const tenant = async () => {
      throw new Error('killed by the test')
    }
    await expect(scoreAcceptedTask({ store: { ...store, tenant }, log }).run()).rejects.toThrow(
      '1 rows',
    )
    await score()
    // Of the service, and of the whole cost.
    expect(await rows('anomaly_days').clearOrder()).toHaveLength(62)
    await rows('billing_slices')
      .whereNotNull('scoreAt')
      .clearOrder()
      .update({ scoreAt: new Date(0) })
    await score()
    expect(await rows('anomaly_days').clearOrder()).toHaveLength(60)
  })
})

test('what is asked for while a bill is scored is scored after it', async () => {
  put('2026-10', month(31))
  await steps.ingest()
  const { store, log } = harness.deps
  const [sliceId] = await rows('billing_slices').pluck('id')
  const plan = async () =>
    store.tenant(steps.organizationId, async (tenant) => sliceDecisions(tenant).planScore(sliceId))
  const asked = async () => rows('billing_slices').whereNotNull('scoreAt').pluck('id')
  await plan()
  let isAsked = false
  const meddling: typeof store = {
    ...store,
    async tenant(organizationId, work) {
      if (!isAsked) await plan()
      isAsked = true
      return store.tenant(organizationId, work)
    },
  }
  await scoreAcceptedTask({ store: meddling, log }).run()
  expect(isAsked).toBe(true)
  expect(await asked()).toEqual([sliceId])
  await scoreAcceptedTask(harness.deps).run()
  expect(await asked()).toEqual([])
})

describe('a bill that cannot be read', () => {
  const refused = [1, 'twelve']

  test('is told at the first failure, and again only after a success', async () => {
    put('2026-09', refused)
    await steps.ingest()
    await steps.hourly()
    expect(await told()).toEqual(['ingest.failed'])
    const [notice] = await rows('notices')
    expect(notice).toMatchObject({ title: 'The bill of own could not be read', severity: 'medium' })
    expect(notice.detail).toMatchObject({ cloudAccountId: steps.accountId })

    put('2026-09', [1, 2])
    await steps.hourly()
    await steps.hourly()
    expect(await told()).toHaveLength(1)
    put('2026-09', refused)
    await steps.hourly()
    await steps.hourly()
    expect(await told()).toEqual(['ingest.failed', 'ingest.failed'])
  })

  test('is told where another month was loaded, and a suspect month alone is no failure', async () => {
    put('2026-08', [1, 2, 3])
    put('2026-09', refused)
    expect(await steps.ingest()).toMatchObject({ state: 'partial' })
    expect(await told()).toEqual(['ingest.failed'])
    delete steps.cloud.months['2026-09']
    put('2026-08', [1])
    expect(await steps.ingest()).toMatchObject({ state: 'failed' })
    expect(await told()).toEqual(['ingest.failed', 'slice.suspect'])
  })

  test('an ingest that broke off is told once for all of its sources, each time after a success', async () => {
    put('2026-09', [1, 2])
    const lose = async () => {
      const input = await steps.begin()
      const [source] = (await steps.shown(input.ingestId)).sources
      await steps.deliver(discoverBills, { ...input, sourceId: source?.sourceId ?? 0 })
      for (const _ of [1, 2]) await steps.deliver(endIngest, { ...input, code: 'ingest_lost' })
    }
    await lose()
    await lose()
    expect(await told()).toEqual(['ingest.failed'])
    expect(await rows('notices').select('subjectKind')).toEqual([{ subjectKind: 'ingest' }])
    await steps.ingest()
    await lose()
    expect(await told()).toEqual(['ingest.failed', 'ingest.failed'])
  })
})
