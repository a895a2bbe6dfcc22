import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** Charges of one current slice and one that was superseded, put where the loader puts them. */
async function withCharges() {
  const { platform } = harness.deps.store
  const org = await harness.organization()
  const days = ['2026-03-10', '2026-03-31']
  for (const bill of ['old', 'new'])
    await storeCharges(
      platform,
      org.id,
      days.map((day) => charge({ day, service: bill })),
    )
  const slices = await platform('billing_slices').where({ organizationId: org.id }).orderBy('id')
  const rows = slices.flatMap(({ id }, n) =>
    days.map((day) => ({
      organizationId: org.id,
      sliceId: id,
      period: '2026-03-01',
      day,
      digest: '00000000-0000-0000-0000-000000000001',
      provider: 'aws',
      providerName: 'AWS, Inc.',
      billedCost: '1.5',
      effectiveCost: '-0.000000000001',
      billingCurrency: 'USD',
      chargeCategory: 'Usage',
      serviceName: n === 0 ? 'old' : 'new "1"',
      tags: JSON.stringify({ team: 'a,b' }),
    })),
  )

  const db = connectOwner(harness.config.databaseUrl)
  await db.raw(`select ensure_charge_partition('2026-03-01')`)
  await db.batchInsert('focus_charges', rows)
  await db.destroy()
  return org
}

test('200: FOCUS 1.2 as CSV of the current slices and the window alone', async () => {
  const org = await withCharges()
  const viewer = await org.user('Viewer')
  const get = async (window: string) => viewer.get(`/api/finops/export?${window}`)
  const answer = await get('from=2026-03-01&to=2026-03-30')
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(answer.headers['content-disposition']).toContain('focus-2026-03-01-2026-03-30.csv')
  const [header = '', row = '', ...rest] = answer.body.trimEnd().split('\n')
  expect(rest).toEqual([])
  expect(header.split(',')).toHaveLength(57)
  expect(header).toContain('BilledCost,EffectiveCost,ListCost')
  expect(header).not.toContain('digest')
  for (const cell of [
    '1.500000000000,-0.000000000001,1.500000000000,-0.000000000001',
    '2026-03-10T00:00:00Z,2026-03-11T00:00:00Z',
    '2026-03-01T00:00:00Z,2026-04-01T00:00:00Z',
    '"new ""1"""',
    '"AWS, Inc."',
    '"{""team"": ""a,b""}"',
  ])
    expect(row).toContain(cell)
  expect((await get('from=2026-03-01&to=2026-03-31')).body.trimEnd().split('\n')).toHaveLength(3)
})

test('200: another organization’s charges are not in it; 400: a window that ends before it begins', async () => {
  await withCharges()
  const viewer = await (await harness.organization()).user('Viewer')
  const { body } = await viewer.get('/api/finops/export?from=2026-03-01&to=2026-03-31')
  expect(body.trimEnd().split('\n')).toHaveLength(1)
  const wrong = await viewer.get('/api/finops/export?from=2026-03-02&to=2026-03-01')
  expect(wrong.statusCode).toBe(400)
  expect((await viewer.get('/api/finops/export?provider=aws')).statusCode).toBe(400)
})
