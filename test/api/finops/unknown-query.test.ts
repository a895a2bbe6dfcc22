import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let owner: TestUser
let viewer: TestUser
beforeAll(async () => {
  harness = await createHarness()
  const org = await harness.organization()
  owner = await org.user('Owner')
  viewer = await org.user('Viewer')
})
afterAll(async () => harness.close())

const price = {
  provider: 'aws',
  resourceType: 'aws_instance',
  monthlyPrice: 5,
  currency: 'USD',
  source: 'test',
}
const budget = { name: 'all', amountMonthly: 5, scopeKind: 'all' }
const unit = { name: 'all', unit: 'order', scopeKind: 'all' }
const values = { values: [{ day: '2026-03-01', value: 2 }] }

test('400: an unknown query parameter, which a misspelt filter is', async () => {
  const made = (await owner.post('/api/finops/budgets', budget)).json().budget
  const own = (await owner.post('/api/finops/units', unit)).json().unit
  const answers = [
    await owner.get('/api/finops/prices?provder=aws'),
    await owner.get('/api/finops/prices/unpriced?provder=aws'),
    await owner.post('/api/finops/prices?dry=true', price),
    await owner.post('/api/finops/budgets?dry=true', budget),
    await owner.patch(`/api/finops/budgets/${made.id}?dry=true`, { name: 'new' }),
    await owner.delete(`/api/finops/budgets/${made.id}?force=true`),
    await owner.get('/api/finops/units?from=2026-03-01'),
    await owner.post('/api/finops/units?dry=true', unit),
    await owner.get(`/api/finops/units/${own.id}?basis=billed`),
    await owner.patch(`/api/finops/units/${own.id}?dry=true`, { name: 'new' }),
    await owner.put(`/api/finops/units/${own.id}/values?dry=true`, values),
    await owner.delete(`/api/finops/units/${own.id}?force=true`),
    await owner.get('/api/console/data?days=3'),
  ]
  for (const answer of answers)
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([400, 'validation_failed'])
  expect((await owner.get('/api/finops/units')).json().units).toMatchObject([{ name: 'all' }])
  expect((await owner.get('/api/finops/budgets')).json().budgets).toMatchObject([{ name: 'all' }])
})

test('400: a day that PostgreSQL does not have', async () => {
  for (const query of ['from=0000-01-01', 'to=0000-12-31'])
    expect((await owner.get(`/api/finops/anomalies?${query}`)).statusCode).toBe(400)
})

test('403: who may not change prices is audited as everywhere in cost', async () => {
  expect((await viewer.post('/api/finops/prices', price)).statusCode).toBe(403)
  const { entries } = (await owner.get('/api/audit?event=cloud.rbac_denied')).json()
  expect(entries).toHaveLength(1)
})
