import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { unwrap } from '../../store/driver/tenant.ts'
import { fetchRatesTask } from '../../worker/tasks/fetch-rates.ts'
import { type ScriptedCloud, startScriptedCloud } from '../harness/clouds/scripted-cloud.ts'
import { charge, storeCharges } from '../harness/cost-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

const head = 'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE'
const series = (currency: string, rates: Record<string, string>) =>
  Object.entries(rates).map(
    ([day, rate]) => `EXR.D.${currency}.EUR.SP00.A,D,${currency},EUR,SP00,A,${day},${rate}`,
  )
const answerOf = (...lines: string[][]) => [head, ...lines.flat(), ''].join('\n')
const march = answerOf(
  series('GBP', { '2026-03-03': '0.9', '2026-03-02': '0.8' }),
  series('USD', { '2026-03-02': '1.2', '2026-03-03': '1.5' }),
)

let bank: ScriptedCloud
let harness: Harness
let org: TestOrganization
beforeAll(async () => {
  bank = await startScriptedCloud()
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS: `billing=127.0.0.1:${bank.port}` } })
})
afterAll(async () => {
  await harness?.close()
  await bank?.stop()
})
beforeEach(async () => {
  const { platform } = harness.deps.store
  await platform('exchange_rates').delete()
  await platform('reference_rates').delete()
  await platform('reference_months').delete()
  await platform('billing_slices').update({ isCurrent: false, state: 'superseded' })
  bank.asked.length = 0
  bank.answer = () => ({ body: march })
  org = await harness.organization()
})

const run = async (source: 'ecb' | 'none' = 'ecb', origin = bank.url) =>
  fetchRatesTask(harness.deps, { source, origin }).run()
const bill = async (currency: string, period = '2026-03', of = org) =>
  storeCharges(harness.deps.store.platform, of.id, [
    charge({ source: currency.toLowerCase(), day: `${period}-10`, effective: '10', currency }),
  ])
const rates = async (of = org) =>
  harness.deps.store.tenant(of.id, async (tenant) => {
    const rows = await unwrap(tenant).db('exchange_rates').orderBy('base').orderBy('month')
    return rows.map(({ base, quote, rate, kind }) => `${base}/${quote} ${Number(rate)} ${kind}`)
  })
const cost = async (of = org) =>
  (await (await of.user('Viewer')).get('/api/finops/cost?from=2026-03-01&to=2026-03-31')).json()
/** As a day later. */
const nextDay = async () =>
  harness.deps.store.platform.raw(`update reference_months set ask_after = now()`)

test('a bill in another currency is converted at the rates of the first banking day', async () => {
  await bill('EUR')
  await bill('GBP')
  const other = await harness.organization()
  await (await other.user('Owner')).patch('/api/org/settings', { currency: 'EUR' })
  await bill('USD', '2026-03', other)
  expect((await cost()).unconverted).toHaveLength(2)
  await run()
  expect(await rates()).toEqual(['EUR/USD 1.2 ecb', 'GBP/USD 1.5 ecb'])
  expect(await rates(other)).toEqual(['USD/EUR 0.833333333333 ecb'])
  expect(await cost()).toMatchObject({ total: 27, unconverted: [] })
  expect(await cost(other)).toMatchObject({ total: 8.33333333333 })
  const [asked, ...more] = bank.asked
  expect(more).toEqual([])
  expect(asked?.path).toBe('/service/data/EXR/D..EUR.SP00.A')
  expect(Object.fromEntries(asked?.query ?? [])).toEqual({
    startPeriod: '2026-03-01',
    endPeriod: '2026-03-10',
    detail: 'dataonly',
    format: 'csvdata',
  })
  const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('audit_entries').where('event', 'finops.rate_set').orderBy('id'),
  )
  expect(entries.map(({ actorKind, detail }) => ({ actorKind, detail }))).toEqual([
    { actorKind: 'system', detail: { from: null, to: 1.2, kind: 'ecb', day: '2026-03-02' } },
    { actorKind: 'system', detail: { from: null, to: 1.5, kind: 'ecb', day: '2026-03-02' } },
  ])
})

test('a rate is frozen: later answers change none, and a person’s stays', async () => {
  await bill('EUR')
  const owner = await org.user('Owner')
  await run()
  bank.answer = () => ({ body: march.replaceAll('1.2', '9.9') })
  await nextDay()
  await run()
  expect(await rates()).toEqual(['EUR/USD 1.2 ecb'])
  await owner.post('/api/finops/rates', { month: '2026-03', base: 'EUR', quote: 'USD', rate: 2 })
  await owner.post('/api/finops/rates', { month: '2026-03', base: 'GBP', quote: 'USD', rate: 3 })
  await bill('GBP')
  await nextDay()
  await run()
  expect(await rates()).toEqual(['EUR/USD 2 person', 'GBP/USD 3 person'])
  expect(bank.asked).toHaveLength(1)
})

test('a month without rates yet is asked for again a day later; the money stays beside the totals', async () => {
  await bill('EUR')
  bank.answer = () => ({ status: 404, body: 'No results found.' })
  await run()
  await run()
  expect(bank.asked).toHaveLength(1)
  expect(await cost()).toMatchObject({
    total: 0,
    unconverted: [{ currency: 'EUR', amount: 10 }],
  })
  bank.answer = () => ({ body: march })
  await nextDay()
  await run()
  expect(await rates()).toEqual(['EUR/USD 1.2 ecb'])
})

test.each([
  ['fails', () => ({ status: 503, body: 'no' })],
  ['sends a page', () => ({ body: '<html>sign in</html>' })],
  ['sends more than it has', () => ({ body: Buffer.alloc(2_000_000, 'x') })],
  ['redirects to a private address', () => redirect],
])('a bank that %s leaves rates that are known to be set', async (_, answer) => {
  await bill('EUR')
  await run()
  await bill('GBP')
  await bill('EUR', '2026-02')
  bank.answer = answer
  expect(await run()).toBe('done')
  expect(await rates()).toEqual(['EUR/USD 1.2 ecb', 'GBP/USD 1.5 ecb'])
  const [month] = await harness.deps.store.platform('reference_months').whereNull('day')
  expect(month.askAfter.getTime() - Date.now()).toBeLessThan(3_700_000)
})
const redirect = { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }

test('a currency without a reference rate, and a month of the future, are not asked for each day', async () => {
  await bill('XXX')
  await bill('EUR', '2027-06')
  await run()
  await nextDay()
  await run()
  expect(bank.asked).toHaveLength(1)
  expect(await rates()).toEqual([])
})

test('several workers ask once', async () => {
  await bill('EUR')
  await Promise.all([run(), run(), run()])
  expect(bank.asked).toHaveLength(1)
  await run()
  expect(await rates()).toEqual(['EUR/USD 1.2 ecb'])
})

test('without the setting, nothing is asked for or set', async () => {
  await bill('EUR')
  await run('none')
  expect(bank.asked).toEqual([])
  expect(await rates()).toEqual([])
})
