import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let org: TestOrganization
let owner: TestUser
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  org = await harness.organization()
  owner = await org.user('Owner')
})

const euro = { month: '2026-03', base: 'EUR', quote: 'USD', rate: 1.1 }
const entries = async () =>
  harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('audit_entries')
      .where('event', 'like', 'finops.rate%')
      .orderBy('id')
      .select('event', 'detail'),
  )
const total = async () =>
  (await owner.get('/api/finops/cost?from=2026-03-01&to=2026-03-31')).json().total

test('201: a rate, and another one in its place, each audited and seen by the next read of cost', async () => {
  await storeCharges(harness.deps.store.platform, org.id, [
    charge({ effective: '10', currency: 'EUR' }),
  ])
  expect(await total()).toBe(0)
  const made = await owner.post('/api/finops/rates', euro)
  expect(made.statusCode, made.body).toBe(201)
  expect(made.json().rate).toMatchObject({ ...euro, kind: 'person' })
  expect(await total()).toBe(11)
  const again = await owner.post('/api/finops/rates', { ...euro, rate: 1.2 })
  expect(again.json().rate).toMatchObject({ id: made.json().rate.id, rate: 1.2 })
  expect(await total()).toBe(12)
  const listed = (await owner.get('/api/finops/rates')).json()
  expect(listed).toEqual({ rates: [again.json().rate], nextCursor: null })
  expect(await entries()).toEqual([
    { event: 'finops.rate_set', detail: { from: null, to: 1.1 } },
    { event: 'finops.rate_set', detail: { from: 1.1, to: 1.2 } },
  ])
})

test('budgets are looked at again after a rate was set or deleted', async () => {
  await storeCharges(harness.deps.store.platform, org.id, [
    charge({ effective: '10', currency: 'EUR' }),
  ])
  const planned = async () =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)
      const slices = await db('billing_slices').whereNotNull('scoreAt').select('id')
      await db('billing_slices').update({ scoreAt: null })
      return slices.length
    })
  expect(await planned()).toBe(0)
  const { rate } = (await owner.post('/api/finops/rates', euro)).json()
  expect(await planned()).toBe(1)
  await owner.delete(`/api/finops/rates/${rate.id}`)
  expect(await planned()).toBe(1)
})

test('200: a deleted rate leaves its money without one', async () => {
  await storeCharges(harness.deps.store.platform, org.id, [
    charge({ effective: '10', currency: 'EUR' }),
  ])
  const { rate } = (await owner.post('/api/finops/rates', euro)).json()
  expect(await total()).toBe(11)
  expect((await owner.delete(`/api/finops/rates/${rate.id}`)).json()).toEqual({ ok: true })
  expect(await total()).toBe(0)
  expect((await entries()).at(-1)).toEqual({ event: 'finops.rate_deleted', detail: { from: 1.1 } })
})

test('a rate or budget that was set and deleted again gives no earlier answer back', async () => {
  await storeCharges(harness.deps.store.platform, org.id, [charge({})])
  const tag = async () =>
    (await owner.get('/api/finops/cost?from=2026-03-01&to=2026-03-31')).headers['etag']
  const tags = [await tag()]
  const { rate } = (await owner.post('/api/finops/rates', euro)).json()
  tags.push(await tag())
  await owner.delete(`/api/finops/rates/${rate.id}`)
  tags.push(await tag())
  const wanted = { name: 'all', amountMonthly: 5, scopeKind: 'all' }
  const { budget } = (await owner.post('/api/finops/budgets', wanted)).json()
  tags.push(await tag())
  await owner.delete(`/api/finops/budgets/${budget.id}`)
  tags.push(await tag())
  expect(new Set(tags).size).toBe(5)
})

test('400: no currency, one currency twice, no month, no rate', async () => {
  for (const wrong of [
    { base: 'XXZ' },
    { base: 'USD' },
    { month: '2026-13' },
    { month: '2026-3' },
    { rate: 0 },
    { rate: -1 },
    { rate: 1e-13 },
    { more: 1 },
  ]) {
    const { statusCode, body } = await owner.post('/api/finops/rates', { ...euro, ...wrong })
    expect(statusCode, `${JSON.stringify(wrong)}: ${body}`).toBe(400)
  }
})

test('403 and 404: a Deployer may only read; another organization’s rate', async () => {
  const deployer = await org.user('Deployer')
  expect((await deployer.post('/api/finops/rates', euro)).statusCode).toBe(403)
  const { rate } = (await owner.post('/api/finops/rates', euro)).json()
  expect((await deployer.delete(`/api/finops/rates/${rate.id}`)).statusCode).toBe(403)
  const stranger = await (await harness.organization()).user('Owner')
  expect((await stranger.delete(`/api/finops/rates/${rate.id}`)).statusCode).toBe(404)
  expect((await owner.get('/api/finops/rates')).json().rates).toHaveLength(1)
})
