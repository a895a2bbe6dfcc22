import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { dayAfter, daysBetween } from '../../../domain/finops/anomalies/days.ts'
import { groupAnomalies } from '../../../domain/finops/anomalies/group-anomalies.ts'
import { scoreSeries } from '../../../domain/finops/anomalies/score-series.ts'
import { completeThrough } from '../../../domain/finops/complete-through.ts'
import { dollars, isUsage, million, type DemoCharge } from './demo-charge.ts'
import { chargesOfMonth, demoMonths, restatedMonth, type DemoTime } from './demo-months.ts'
import type { DemoCloud } from './demo-resource.ts'
import { focusFile } from './focus-file.ts'

const clouds = ['aws', 'azure', 'gcp'] as const satisfies readonly DemoCloud[]
const monday = { anchor: '2026-11-23', today: '2026-11-23' }

const yearOf = (time: DemoTime, cloud: DemoCloud): DemoCharge[] =>
  demoMonths(time).flatMap((month) => chargesOfMonth({ ...time, cloud, month }))
const sum = (charges: readonly DemoCharge[], of: 'billed' | 'effective' = 'effective') =>
  charges.reduce((total, charge) => total + charge[of], 0)

describe('the bills of the demo', () => {
  const years = new Map(clouds.map((cloud) => [cloud, yearOf(monday, cloud)]))
  const all = [...years.values()].flat()

  test('the same day gives the same sums, to the millionth of a dollar', () => {
    expect(clouds.map((cloud) => dollars(sum(years.get(cloud) ?? [])))).toEqual([
      '288649.513764',
      '78078.711699',
      '90201.232100',
    ])
  })

  test('a year up to yesterday: three clouds, 40 services, at most 150,000 charges', () => {
    expect(new Set(all.map(({ service }) => service)).size).toBe(40)
    expect(all.length).toBeGreaterThan(60_000)
    expect(all.length).toBeLessThan(150_000)
    const days = all.map(({ day }) => day).toSorted()
    expect([days[0], days.at(-1)]).toEqual(['2025-11-01', '2026-11-22'])
    expect(new Set(days).size).toBe(387)
  })

  test('credits take off, a correction too, and some of the usage has no tag', () => {
    const of = (category: DemoCharge['category']) => all.filter((one) => one.category === category)
    expect(sum(of('Credit'))).toBeLessThan(0)
    expect(sum(of('Tax'))).toBeGreaterThan(0)
    expect(all.filter(({ isCorrection }) => isCorrection)).toHaveLength(1)
    const untagged = all.filter(({ resource }) => resource?.team === null)
    const share = sum(untagged) / sum(all)
    expect(share).toBeGreaterThan(0.05)
    expect(share).toBeLessThan(0.3)
  })

  test('a savings plan is nearly used, a reservation to less than 80 % of late; each is bought once', () => {
    const used = (cloud: DemoCloud, from: string) => {
      const held = (years.get(cloud) ?? []).filter(
        ({ commitment, category, day }) => commitment && category === 'Usage' && day >= from,
      )
      return sum(held.filter(({ commitment }) => commitment?.status === 'Used')) / sum(held)
    }
    for (const day of ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'])
      expect(used('azure', day)).toBeLessThan(0.8)
    expect(used('aws', '2026-10-01')).toBeGreaterThan(0.9)
    expect(used('aws', '2026-10-01')).toBeLessThan(1)
    const ofPlan = (years.get('aws') ?? []).filter(({ commitment }) => commitment)
    const bought = ofPlan.filter(({ category }) => category === 'Purchase')
    expect(sum(bought)).toBe(0)
    // What it costs is spread over what it pays for, to the last millionth.
    expect(sum(ofPlan)).toBe(sum(bought, 'billed'))
  })

  test('the restated month: more rows and more cost than its draft', () => {
    const month = restatedMonth(monday.anchor)
    const [draft, final] = [true, false].map((isDraft) =>
      chargesOfMonth({ ...monday, cloud: 'aws', month, isDraft }),
    )
    expect(month).toBe('2026-10')
    expect((final?.length ?? 0) - (draft?.length ?? 0)).toBe(1)
    expect(sum(final ?? [])).toBeGreaterThan(sum(draft ?? []))
  })

  test('on a later day what was there stays, and only the new days come', () => {
    const later = { anchor: monday.anchor, today: '2026-12-01' }
    const before = yearOf(later, 'aws').filter(({ day }) => day < monday.today)
    expect(before).toEqual(years.get('aws'))
    expect(demoMonths(later).at(-1)).toBe('2026-12')
    const first = chargesOfMonth({ ...later, cloud: 'aws', month: '2026-12' })
    expect(first.map(({ category }) => category)).toEqual(['Purchase', 'Tax', 'Credit'])
  })

  test('a file has a row for each charge, and the same bytes each time', async () => {
    const charges = chargesOfMonth({ ...monday, cloud: 'azure', month: '2026-11' })
    const file = await focusFile('azure', charges)
    expect(file.equals(await focusFile('azure', charges))).toBe(true)
    const [head = '', ...rows] = gunzipSync(file).toString().trimEnd().split('\n')
    expect(rows).toHaveLength(charges.length)
    const at = head.split(',').indexOf('BilledCost')
    const billed = rows.reduce(
      (total, row) => total + Math.round(Number(row.split(',')[at]) * million),
      0,
    )
    expect(billed).toBe(sum(charges, 'billed'))
  })
})

/** What the detector finds in a cloud's year: the series, its kind, and the days counted back from the anchor. */
function anomaliesOf(time: DemoTime, cloud: DemoCloud): string[] {
  const series = new Map<string, Map<string, number>>()
  const charges = yearOf(time, cloud).filter(isUsage)
  for (const { service, account, day, effective } of charges) {
    const key = `${service}, ${account?.name}`
    const days = series.get(key) ?? new Map<string, number>()
    series.set(key, days.set(day, (days.get(day) ?? 0) + effective / million))
  }
  const from = charges[0]?.day ?? ''
  const now = new Date(`${time.today}T12:00:00Z`)
  const through = completeThrough([cloud], dayAfter(time.today, -1), now) ?? ''
  const length = daysBetween(from, through) + 1
  return [...series].flatMap(([name, amounts]) => {
    const days = Array.from({ length }, (_, n) => dayAfter(from, n)).map((day) => ({
      day,
      amount: amounts.get(day) ?? 0,
    }))
    return groupAnomalies(scoreSeries([], days, { minimum: 5 })).map(({ firstDay, lastDay }) => {
      const [first, last] = [firstDay, lastDay].map((day) => daysBetween(day, time.anchor))
      return `${name}: ${first} to ${last}`
    })
  })
}

for (const today of ['2026-11-23', '2026-03-01', '2027-01-02'])
  test(`the detector finds five anomalies and no other in bills that end before ${today}`, () => {
    const found = clouds.flatMap((cloud) => anomaliesOf({ anchor: today, today }, cloud))
    expect(found).toEqual([
      'Amazon Elastic Compute Cloud, shop-production: 5 to 1',
      expect.stringMatching(/^Amazon Virtual Private Cloud, data-platform: (79|80) to 7/),
      'Azure Monitor, back-office: 24 to 21',
      expect.stringMatching(/^Azure OpenAI, assistants: 38 to /),
      'BigQuery, Analytics: 3 to 2',
    ])
  })
