import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

const url = '/api/finops/units'
const dayMs = 86_400_000
const dayAfter = (first: string, days: number): string =>
  new Date(Date.parse(first) + days * dayMs).toISOString().slice(0, 10)

describe('PUT /api/finops/units/{id}/values', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  async function world() {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const made = await user.post(url, { name: 'Orders', unit: 'order', scopeKind: 'all' })
    const at = `${url}/${made.json().unit.id}`
    return {
      org,
      user,
      at,
      put: async (values: unknown) => user.put(`${at}/values`, { values }),
      values: async (from = '2026-03-01', to = '2026-03-05') =>
        (await user.get(`${at}?from=${from}&to=${to}`))
          .json()
          .days.map(({ value }: { value: number | null }) => value),
    }
  }

  const audited = async (org: TestOrganization) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where('event', 'finops.unit_values_set')
        .orderBy('id')
        .select('detail', 'targetLabel'),
    )

  test('200: values are set and replaced by day, the others stay, and only a change is audited', async () => {
    const { org, put, values } = await world()
    const first = [
      { day: '2026-03-03', value: 0 },
      { day: '2026-03-01', value: 12.5 },
    ]
    expect((await put(first)).json()).toEqual({ ok: true, values: 2, changed: 2 })
    expect(await values()).toEqual([12.5, null, 0, null, null])
    const second = [
      { day: '2026-03-01', value: 12.5 },
      { day: '2026-03-03', value: 7 },
      { day: '2026-03-04', value: 0.000000000001 },
    ]
    expect((await put(second)).json()).toEqual({ ok: true, values: 3, changed: 2 })
    expect((await put(second)).json()).toEqual({ ok: true, values: 3, changed: 0 })
    expect(await values()).toEqual([12.5, null, 7, 0.000000000001, null])
    expect(await audited(org)).toEqual([
      {
        targetLabel: 'Orders',
        detail: { values: 2, changed: 2, from: '2026-03-01', to: '2026-03-03' },
      },
      {
        targetLabel: 'Orders',
        detail: { values: 3, changed: 2, from: '2026-03-01', to: '2026-03-04' },
      },
    ])
  })

  test('200: null removes the value of its day, once', async () => {
    const { org, put, values } = await world()
    await put([
      { day: '2026-03-01', value: 1 },
      { day: '2026-03-02', value: 2 },
      { day: '2026-03-03', value: 3 },
    ])
    const change = [
      { day: '2026-03-01', value: null },
      { day: '2026-03-02', value: 2 },
      { day: '2026-03-03', value: 4 },
      { day: '2026-03-04', value: null },
    ]
    expect((await put(change)).json()).toEqual({ ok: true, values: 4, changed: 2 })
    expect(await values()).toEqual([null, 2, 4, null, null])
    expect((await put(change)).json()).toEqual({ ok: true, values: 4, changed: 0 })
    expect(await audited(org)).toMatchObject([{}, { detail: { changed: 2, removed: 2 } }])
    const twice = await put([
      { day: '2026-03-02', value: null },
      { day: '2026-03-02', value: 7 },
    ])
    expect(twice.statusCode).toBe(400)
    expect(await values()).toEqual([null, 2, 4, null, null])
  })

  test('200: the greatest and the smallest value are kept exactly', async () => {
    const { org, put, values } = await world()
    await put([
      { day: '2026-03-01', value: 1e15 },
      { day: '2026-03-02', value: 0.1 },
      { day: '2026-03-03', value: 1.23456789012345 },
    ])
    const stored = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('cost_unit_values').orderBy('day').pluck('value'),
    )
    expect(stored).toEqual(['1000000000000000.000000000000', '0.100000000000', '1.234567890123'])
    expect(await values()).toEqual([1e15, 0.1, 1.234567890123, null, null])
  })

  test('400: a day that is there twice is named, and nothing is stored', async () => {
    const { put, values } = await world()
    const response = await put([
      { day: '2026-03-01', value: 1 },
      { day: '2026-03-02', value: 1 },
      { day: '2026-03-01', value: 1 },
    ])
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({
      error: 'values.2.day: 2026-03-01 is in values.0 already.',
      code: 'validation_failed',
      details: [{ path: 'values.2.day', message: '2026-03-01 is in values.0 already' }],
    })
    expect(await values()).toEqual([null, null, null, null, null])
  })

  test('400: other values, days and fields', async () => {
    const { user, at, put } = await world()
    for (const values of [
      undefined,
      null,
      [],
      {},
      [{ day: '2026-03-01' }],
      [{ value: 1 }],
      [{ day: '2026-03-01', value: '1' }],
      [{ day: '2026-03-01', value: -0.5 }],
      [{ day: '2026-03-01', value: 1e-13 }],
      [{ day: '2026-03-01', value: 1.1e15 }],
      [{ day: '2026-02-29', value: 1 }],
      [{ day: '2026-13-01', value: 1 }],
      [{ day: '2026-3-1', value: 1 }],
      [{ day: '0000-01-01', value: 1 }],
      [{ day: '2026-03-01T00:00:00Z', value: 1 }],
      [{ day: 20_260_301, value: 1 }],
      [{ day: '2026-03-01', value: 1, unit: 'order' }],
    ]) {
      const response = await put(values)
      expect([response.statusCode, response.json().code], JSON.stringify(values)).toEqual([
        400,
        'validation_failed',
      ])
      expect(response.json().details.length).toBeGreaterThan(0)
    }
    const more = { values: [{ day: '2026-03-01', value: 1 }], replace: true }
    expect((await user.put(`${at}/values`, more)).statusCode).toBe(400)
  })

  test('200, 400, 409: 10,000 values at a time, and of a unit in all', async () => {
    const { user, at, put } = await world()
    const days = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        day: dayAfter('1990-01-01', n),
        value: n + 0.123456789012,
      }))
    expect((await put(days(10_001))).statusCode).toBe(400)
    const all = await put(days(10_000))
    expect(all.json(), all.body).toEqual({ ok: true, values: 10_000, changed: 10_000 })
    const beyond = await put([{ day: '2030-01-01', value: 1 }])
    expect([beyond.statusCode, beyond.json().code]).toEqual([409, 'too_many_values'])
    expect((await put([{ day: '1990-01-01', value: 1 }])).json().changed).toBe(1)
    const read = await user.get(`${at}?from=2030-01-01&to=2030-01-01`)
    expect(read.json().days).toMatchObject([{ value: null }])
  })

  test('200: of writes at once of the same days each is whole', async () => {
    const { put, values } = await world()
    const days = Array.from({ length: 5 }, (_, n) => dayAfter('2026-03-01', n))
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, value) =>
        put((value % 2 === 0 ? days : days.toReversed()).map((day) => ({ day, value }))),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(200))
    expect(new Set(await values()).size).toBe(1)
  })

  test('404: values go with their unit', async () => {
    const { org, user, at, put } = await world()
    await put([{ day: '2026-03-01', value: 1 }])
    expect((await user.delete(at)).statusCode).toBe(200)
    expect((await put([{ day: '2026-03-01', value: 1 }])).statusCode).toBe(404)
    const left = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('cost_unit_values').pluck('day'),
    )
    expect(left).toEqual([])
  })
})
