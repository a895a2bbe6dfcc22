import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CostBody } from '../../../api/finops/cost/schemas.ts'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

type Payload = Exclude<CostBody, { empty: true }>

async function costOf(query: string, charges: Array<Parameters<typeof charge>[0]>) {
  const org = await harness.organization()
  await storeCharges(harness.deps.store.platform, org.id, charges.map(charge))
  const { statusCode, body } = await (await org.user('Viewer')).get(`/api/finops/cost?${query}`)
  expect(statusCode, body).toBe(200)
  return { ...(JSON.parse(body) as Payload), body }
}

const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0)
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

test('200: past 1,000 services the rest is one entry, and the list adds up to the total', async () => {
  const { spendByService, total } = await costOf(
    'from=2026-03-01&to=2026-03-31',
    numbers(1_003).map((n) => ({ effective: String(n), service: `service ${n}` })),
  )
  expect(spendByService).toHaveLength(1_001)
  expect(spendByService[0]).toEqual({ provider: 'aws', service: 'service 1003', amount: 1_003 })
  expect(spendByService.at(-1)).toEqual({ provider: '(other)', service: '(other)', amount: 6 })
  expect(sum(spendByService.map(({ amount }) => amount))).toBe(total)
})

test('200: past 200 providers the rest is one entry, of each day too', async () => {
  const { spendByCloud, daily, total } = await costOf(
    'from=2026-03-10&to=2026-03-11',
    numbers(202).flatMap((n) =>
      ['2026-03-10', '2026-03-11'].map((day) => ({ effective: String(n), provider: `p${n}`, day })),
    ),
  )
  expect(spendByCloud).toHaveLength(201)
  expect(spendByCloud[0]).toEqual({ provider: 'p202', amount: 404 })
  expect(spendByCloud.at(-1)).toEqual({ provider: '(other)', amount: 6 })
  expect(sum(spendByCloud.map(({ amount }) => amount))).toBe(total)
  for (const { amount, byProvider } of daily) {
    expect(Object.keys(byProvider)).toHaveLength(201)
    expect(byProvider).toMatchObject({ p202: 202, p3: 3, '(other)': 3 })
    expect(sum(Object.values(byProvider))).toBe(amount)
  }
})

test('200: by day there are at most 10,000 amounts of providers', async () => {
  const { spendByCloud, daily } = await costOf(
    'from=2023-03-11&to=2026-03-10',
    numbers(30).map((n) => ({ effective: String(n), provider: `p${n}` })),
  )
  expect(spendByCloud).toHaveLength(30)
  expect(daily).toHaveLength(1_096)
  const { amount, byProvider } = daily.at(-1) ?? { amount: 0, byProvider: {} }
  expect(Object.keys(byProvider)).toHaveLength(10)
  expect(byProvider).toMatchObject({ p30: 30, p22: 22, '(other)': 231 })
  expect(sum(Object.values(byProvider))).toBe(amount)
})

/** Of an answer: its lists by bytes, and what is bounded by number. */
const maxAnswerBytes = 1_048_576
const amountOf = (n: number) => `${n}.01`
const cents = (amounts: readonly number[]) => sum(amounts.map((one) => Math.round(one * 100)))

test('200: tags as long as a bill may have them end at 256 KiB, and with the rest add up to the cent', async () => {
  const { byTag, byTagRest, total, body } = await costOf(
    'from=2026-03-01&to=2026-03-31',
    numbers(1_100).map((n) => ({
      effective: amountOf(n),
      tags: { ['k'.repeat(512)]: `${n} `.padEnd(5_000, '\u0001é') },
    })),
  )
  expect(Buffer.byteLength(body)).toBeLessThan(maxAnswerBytes)
  expect(byTag.map(({ amount }) => amount)).toEqual(
    byTag.map((_, index) => Number(amountOf(1_100 - index))),
  )
  expect(byTag.length).toBeGreaterThan(5)
  expect(byTagRest?.tags).toBe(1_100 - byTag.length)
  expect(cents([...byTag.map(({ amount }) => amount), byTagRest?.amount ?? 0])).toBe(cents([total]))
})

test('200: services with long names end at 256 KiB, and the rest is one entry', async () => {
  const { spendByService, total, body } = await costOf(
    'from=2026-03-01&to=2026-03-31',
    numbers(1_000).map((n) => ({
      effective: amountOf(n),
      service: `${n} `.padEnd(1_000, '\u0001é'),
    })),
  )
  expect(Buffer.byteLength(body)).toBeLessThan(maxAnswerBytes)
  expect(spendByService.length).toBeGreaterThan(20)
  expect(spendByService[0]?.amount).toBe(1_000.01)
  expect(spendByService.at(-1)).toMatchObject({ provider: '(other)', service: '(other)' })
  expect(cents(spendByService.map(({ amount }) => amount))).toBe(cents([total]))
})

test('200: by day, providers with long names end at 512 KiB, and the rest of a day is one entry', async () => {
  const { spendByCloud, daily, total, body } = await costOf(
    'from=2026-03-01&to=2026-03-31',
    numbers(100).flatMap((n) =>
      numbers(31).map((day) => ({
        effective: amountOf(n),
        provider: `p${n} `.padEnd(1_000, '\u0001é'),
        day: `2026-03-${String(day).padStart(2, '0')}`,
      })),
    ),
  )
  expect(Buffer.byteLength(body)).toBeLessThan(maxAnswerBytes)
  expect(spendByCloud.length).toBeGreaterThan(5)
  expect(cents(spendByCloud.map(({ amount }) => amount))).toBe(cents([total]))
  for (const { amount, byProvider } of daily) {
    const names = Object.keys(byProvider)
    expect(names).toContain('(other)')
    expect(names.length).toBeGreaterThan(2)
    expect(cents(Object.values(byProvider))).toBe(cents([amount]))
  }
})
