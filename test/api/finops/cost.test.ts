import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { charge, raiseVersion, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let org: TestOrganization
let viewer: TestUser
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  org = await harness.organization()
  viewer = await org.user('Viewer')
})

const march = 'from=2026-03-01&to=2026-03-31'
const cost = async (query = march, by = viewer) => by.get(`/api/finops/cost?${query}`)
const store = async (...charges: Array<Parameters<typeof charge>[0]>) =>
  storeCharges(harness.deps.store.platform, org.id, charges.map(charge))

test('200: empty alone without any cost, zeros for a window without it', async () => {
  expect((await cost('provider=aws')).json()).toEqual({ empty: true })
  await store({ day: '2026-01-31' })
  const { statusCode, body } = await cost()
  expect(statusCode, body).toBe(200)
  const found = JSON.parse(body)
  expect(found).toMatchObject({
    empty: false,
    currency: 'USD',
    basis: 'effective',
    from: '2026-03-01',
    to: '2026-03-31',
    total: 0,
    completeThrough: '2026-01-31',
    spendByCloud: [],
    spendByService: [],
    byTag: [],
    byOwner: { workspaces: [], unmanaged: 0, unattributed: 0 },
    anomalies: [],
    budgets: [],
    unconverted: [],
  })
  expect(found.daily).toHaveLength(31)
  expect(found.daily[9]).toEqual({ day: '2026-03-10', amount: 0, byProvider: {} })
})

test('200: the default window is the first of last month to today', async () => {
  await store({})
  const { from, to } = (await cost('')).json()
  const now = new Date()
  expect(to).toBe(now.toISOString().slice(0, 10))
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1))
  expect(from).toBe(first.toISOString().slice(0, 10))
})

test('200: sums by cloud, service, day, tag and owner, in full digits', async () => {
  const workspace = await org.workspace()
  await store(
    { effective: '0.1', tags: { team: 'a' }, owner: 'workspace', workspaceId: workspace.id },
    { effective: '0.2', tags: { team: 'b' }, owner: 'unmanaged' },
    { effective: '0.000000000003', day: '2026-03-31' },
    { effective: '-5', provider: 'gcp', service: 'Credits', category: 'Credit' },
  )
  const found = (await cost()).json()
  expect(found.total).toBe(-4.699999999997)
  expect(found.spendByCloud).toEqual([
    { provider: 'aws', amount: 0.300000000003 },
    { provider: 'gcp', amount: -5 },
  ])
  expect(found.spendByService[0]).toEqual({
    provider: 'aws',
    service: 'Compute',
    amount: 0.300000000003,
  })
  expect(found.daily[9]).toEqual({
    day: '2026-03-10',
    amount: -4.7,
    byProvider: { aws: 0.3, gcp: -5 },
  })
  expect(found.tagKey).toBe('team')
  expect(found.byTag).toEqual([
    { tag: 'team=b', amount: 0.2 },
    { tag: 'team=a', amount: 0.1 },
    { tag: 'untagged', amount: -4.999999999997 },
  ])
  expect(found.byOwner).toEqual({
    workspaces: [{ workspaceId: workspace.id, name: workspace.name, amount: 0.1 }],
    unmanaged: 0.2,
    unattributed: -4.999999999997,
  })
})

test('200: the key asked for, else the one of the settings, else the one on most cost', async () => {
  await store(
    { effective: '3', tags: { env: 'prod', team: 'a' } },
    { effective: '1', tags: { team: 'b' } },
  )
  expect((await cost()).json().tagKey).toBe('team')
  expect((await cost(`${march}&tagKey=env`)).json().byTag).toEqual([
    { tag: 'env=prod', amount: 3 },
    { tag: 'untagged', amount: 1 },
  ])
  const admin = await org.user('Owner')
  expect((await admin.patch('/api/org/settings', { tagKey: 'env' })).statusCode).toBe(200)
  expect((await cost()).json().tagKey).toBe('env')
})

test('200: the key on most cost is by money in one currency; without a rate it is 0', async () => {
  const unrated = Array.from({ length: 60 }, (_, n) => [`unrated ${n}`, 'a'])
  await store(
    { effective: '900', currency: 'JPY', source: 'japan', tags: { yen: 'a' } },
    {
      effective: '5000',
      currency: 'GBP',
      source: 'britain',
      tags: Object.fromEntries(unrated),
    },
    { effective: '10', tags: { dollars: 'a' } },
  )
  await harness.deps.store.platform('exchange_rates').insert({
    organizationId: org.id,
    month: '2026-03-01',
    base: 'JPY',
    quote: 'USD',
    rate: '0.0065',
    kind: 'person',
  })
  await raiseVersion(harness.deps.store.platform, org.id)
  expect((await cost()).json().tagKey).toBe('dollars')
  const series = await viewer.get(`/api/finops/cost/series?${march}&groupBy=tag`)
  expect(series.json().tagKey).toBe('dollars')
  const { untagged } = (await viewer.get(`/api/finops/unmanaged?${march}`)).json()
  expect(untagged.tagKey).toBe('dollars')
  const keys = untagged.byKey.map(({ key }: { key: string }) => key)
  expect(keys).toEqual(expect.arrayContaining(['dollars', 'yen']))
})

test('200: past 1,000 tags the rest is one', async () => {
  await store(
    ...Array.from({ length: 1_003 }, (_, n) => ({
      effective: String(n + 1),
      tags: { pod: `pod ${n + 1}` },
    })),
  )
  const { byTag, byTagRest } = (await cost()).json()
  expect(byTag).toHaveLength(1_000)
  expect(byTag[0]).toEqual({ tag: 'pod=pod 1003', amount: 1_003 })
  expect(byTagRest).toEqual({ tags: 3, amount: 6 })
})

test('200: other currencies at the rate of the bill’s month, without a rate beside the total', async () => {
  await store(
    { effective: '10' },
    { effective: '10', currency: 'EUR', source: 'europe' },
    { effective: '7', currency: 'EUR', source: 'europe', day: '2026-02-28' },
    { effective: '5', currency: 'GBP', source: 'britain' },
  )
  await harness.deps.store.platform('exchange_rates').insert({
    organizationId: org.id,
    month: '2026-03-01',
    base: 'EUR',
    quote: 'USD',
    rate: '1.1',
    kind: 'person',
  })
  await raiseVersion(harness.deps.store.platform, org.id)
  const found = (await cost('from=2026-02-01&to=2026-03-31')).json()
  expect(found.total).toBe(21)
  expect(found.rates).toEqual([{ month: '2026-03', base: 'EUR', quote: 'USD', rate: 1.1 }])
  expect(found.unconverted).toEqual([
    { currency: 'EUR', amount: 7 },
    { currency: 'GBP', amount: 5 },
  ])
})

test('304: by the cost version, and 200 after each change', async () => {
  await store({})
  const first = await cost()
  const again = async () =>
    viewer.get(`/api/finops/cost?${march}`, {
      headers: { 'if-none-match': String(first.headers['etag']) },
    })
  expect((await again()).statusCode).toBe(304)
  expect((await again()).body).toBe('')
  const other = await viewer.get('/api/finops/cost?from=2026-03-02&to=2026-03-31', {
    headers: { 'if-none-match': String(first.headers['etag']) },
  })
  expect(other.statusCode).toBe(200)
  await store({ effective: '2' })
  const changed = await again()
  expect(changed.statusCode).toBe(200)
  expect(changed.json().total).toBe(2)
})

test('400: unknown, repeated and impossible parameters', async () => {
  for (const query of [
    'provder=aws',
    'basis=list&basis=billed',
    'basis=paid',
    'from=2026-03-02&to=2026-03-01',
    'from=2020-01-01&to=2026-03-01',
    'from=yesterday',
    'tagValue=a',
    'untagged=true',
    'chargeCategory=usage',
    'source=A%20b',
    'format=xml',
    'provider=a%00',
  ]) {
    const { statusCode, body } = await cost(query)
    expect(statusCode, `${query}: ${body}`).toBe(400)
  }
  expect((await cost('from=2023-03-01&to=2026-03-04')).statusCode).toBe(200)
  expect((await cost('from=2023-03-01&to=2026-03-05')).statusCode).toBe(400)
})

test('404: an account or workspace of another organization, whatever else is asked', async () => {
  const other = await harness.organization()
  const { id } = await other.workspace()
  for (const query of [
    `workspaceId=${id}`,
    'accountId=2147483647',
    `${march}&workspaceId=${id}&format=csv`,
  ])
    expect((await cost(query)).json(), query).toEqual({ error: 'Not found', code: 'not_found' })
  await store({})
  expect((await cost(march, await other.user('Viewer'))).json()).toEqual({ empty: true })
})
