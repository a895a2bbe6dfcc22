import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { uploadBill } from '../../harness/finops/bill-form.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

const price = { provider: 'aws', resourceType: 'aws_instance', monthlyPrice: 7, currency: 'USD' }

async function fill(organizationId: number, sql: string): Promise<void> {
  await harness.deps.store.platform.raw(sql, { organizationId })
}

test('409: a price book has 10,000 prices of persons', async () => {
  const org = await harness.organization()
  const sre = await org.user('SRE · Cloud Admin')
  const { id } = (await sre.post('/api/finops/prices', price)).json().price
  await fill(
    org.id,
    `insert into prices (organization_id, provider, resource_type, match, monthly_price, currency, source, valid_from)
     select :organizationId, 'aws', 'aws_' || n, '{}', 1, 'USD', 'manual', '2026-01-01' from generate_series(1, 9999) n`,
  )
  const refused = await sre.post('/api/finops/prices', price)
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'too_many_prices'])
  const url = `/api/finops/prices/${id}`
  for (const change of [{ monthlyPrice: 8 }, { resourceType: 'aws_other' }, { enabled: false }])
    expect((await sre.patch(url, change)).statusCode).toBe(200)
  await sre.delete(url)
  expect((await sre.post('/api/finops/prices', price)).statusCode).toBe(201)
})

test('409: the conditions of all prices have 4 MiB together, whatever their types, also by a change', async () => {
  const org = await harness.organization()
  const sre = await org.user('SRE · Cloud Admin')
  const other = (await sre.post('/api/finops/prices', { ...price, resourceType: 'aws_db' })).json()
  await fill(
    org.id,
    `insert into prices (organization_id, provider, resource_type, match, monthly_price, currency, source, valid_from)
     select :organizationId, 'aws', 'aws_' || n % 10, jsonb_build_object('size', repeat('x', 1000), 'n', n), 1, 'USD',
       'manual', '2026-01-01' from generate_series(1, 4090) n`,
  )
  const match = { size: 'y'.repeat(1_000), kind: 'z'.repeat(1_000) }
  for (let n = 0; n < 100; n += 1) {
    const answer = await sre.post('/api/finops/prices', { ...price, match })
    if (answer.statusCode === 409) break
    expect(answer.statusCode).toBe(201)
    expect(n).toBeLessThan(99)
  }
  const refused = await sre.post('/api/finops/prices', { ...price, match })
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'too_many_prices'])
  const change = { resourceType: 'aws_instance', match }
  const changed = await sre.patch(`/api/finops/prices/${other.price.id}`, change)
  expect([changed.statusCode, changed.json().code]).toEqual([409, 'too_many_prices'])
  // A shorter one is taken in its place.
  const shorter = { match: { size: 'y' } }
  const url = `/api/finops/prices/${other.price.id}`
  expect((await sre.patch(url, shorter)).statusCode).toBe(200)
})

test('409: a new source above 1,000, while one of them still takes bills', async () => {
  const org = await harness.organization()
  const sre = await org.user('SRE · Cloud Admin')
  await fill(
    org.id,
    `insert into billing_sources (organization_id, name) select :organizationId, 'team-' || n from generate_series(1, 1000) n`,
  )
  const files = [{ name: 'bill.csv', content: focusCsv('2026-09', [1]) }]
  const refused = await uploadBill(sre, 'team-1001', files)
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'too_many_sources'])
  const taken = await uploadBill(sre, 'team-7', files)
  expect([200, 202], taken.body).toContain(taken.statusCode)
})
