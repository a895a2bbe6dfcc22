import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

const url = '/api/finops/units'
const newUnit = (fields: Record<string, unknown> = {}) => ({
  name: 'Orders',
  unit: 'order',
  scopeKind: 'all',
  ...fields,
})

describe('/api/finops/units', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const audited = async (org: TestOrganization, pattern: string) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .whereLike('event', pattern)
        .orderBy('id')
        .select('event', 'detail', 'targetKind', 'targetLabel'),
    )

  test('201, 200: a unit is created, read by every member, changed and deleted, each audited', async () => {
    const org = await harness.organization()
    const [deployer, viewer] = [await org.user('Deployer'), await org.user('Viewer')]
    const made = await deployer.post(url, newUnit())
    expect(made.statusCode, made.body).toBe(201)
    const { ok, unit } = made.json()
    expect(ok).toBe(true)
    expect(unit).toEqual({
      ...newUnit(),
      id: expect.any(Number),
      scopeValue: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const at = `${url}/${unit.id}`
    const change = { name: 'Users', unit: 'user', scopeKind: 'tag', scopeValue: 'team=shop' }
    const changed = await deployer.patch(at, change)
    expect(changed.json()).toEqual({
      ok: true,
      unit: { ...unit, ...change, updatedAt: expect.any(String) },
    })
    // As it was read: nothing changes, and nothing is audited.
    expect((await deployer.patch(at, change)).json()).toEqual(changed.json())
    expect((await deployer.patch(at, {})).json()).toEqual(changed.json())
    expect((await viewer.get(url)).json().units).toMatchObject([changed.json().unit])
    expect((await viewer.get(at)).json().unit).toEqual(changed.json().unit)
    expect((await deployer.delete(at)).json()).toEqual({ ok: true })
    expect((await deployer.delete(at)).statusCode).toBe(404)
    const entries = await audited(org, 'finops.%')
    expect(entries.map(({ event }) => event)).toEqual([
      'finops.unit_created',
      'finops.unit_updated',
      'finops.unit_deleted',
    ])
    expect(entries[1]).toMatchObject({ targetKind: 'unit', targetLabel: 'Users' })
    expect(entries[1].detail).toEqual({
      name: { from: 'Orders', to: 'Users' },
      unit: { from: 'order', to: 'user' },
      scopeKind: { from: 'all', to: 'tag' },
      scopeValue: { from: null, to: 'team=shop' },
    })
  })

  test('200: another kind of scope needs its value; `all` has none', async () => {
    const deployer = await (await harness.organization()).user('Deployer')
    const made = await deployer.post(url, newUnit({ scopeKind: 'tag', scopeValue: 'team=a' }))
    const at = `${url}/${made.json().unit.id}`
    expect((await deployer.patch(at, { scopeKind: 'service' })).statusCode).toBe(400)
    expect((await deployer.patch(at, { scopeValue: null })).statusCode).toBe(400)
    expect((await deployer.patch(at, { scopeValue: 'team=b' })).json().unit).toMatchObject({
      scopeKind: 'tag',
      scopeValue: 'team=b',
    })
    expect((await deployer.patch(at, { scopeKind: 'all' })).json().unit.scopeValue).toBe(null)
    expect((await deployer.patch(at, { scopeValue: 'team=b' })).statusCode).toBe(400)
  })

  test('200: the list is paged by id', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    for (const name of ['a', 'b', 'c']) await deployer.post(url, newUnit({ name }))
    const first = (await deployer.get(`${url}?limit=2`)).json()
    expect(first.units.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
    const second = (await deployer.get(`${url}?limit=2&cursor=${first.nextCursor}`)).json()
    expect(second.units.map(({ name }: { name: string }) => name)).toEqual(['c'])
    expect(second.nextCursor).toBeNull()
  })

  test('400: invalid names, units, scopes and fields', async () => {
    const deployer = await (await harness.organization()).user('Deployer')
    for (const fields of [
      { name: undefined },
      { name: '' },
      { name: '  ' },
      { name: 'two\nlines' },
      { name: 'x'.repeat(201) },
      { unit: undefined },
      { unit: ' ' },
      { unit: 'x'.repeat(61) },
      { unit: 'or\u202eder' },
      { unit: 7 },
      { scopeKind: undefined },
      { scopeKind: 'team' },
      { scopeKind: 'all', scopeValue: 'x' },
      { scopeKind: 'provider' },
      { scopeKind: 'service', scopeValue: 'x'.repeat(1_001) },
      { scopeKind: 'tag', scopeValue: 'team' },
      { scopeKind: 'workspace', scopeValue: '99999999999' },
      { values: [] },
      { id: 7 },
    ]) {
      const response = await deployer.post(url, newUnit(fields))
      expect([response.statusCode, response.json().code], JSON.stringify(fields)).toEqual([
        400,
        'validation_failed',
      ])
      expect(response.json().details.length).toBeGreaterThan(0)
    }
    expect((await deployer.get(url)).json().units).toEqual([])
  })

  test('403: a Viewer may only read, and what was tried is audited', async () => {
    const org = await harness.organization()
    const [deployer, viewer] = [await org.user('Deployer'), await org.user('Viewer')]
    const { unit } = (await deployer.post(url, newUnit())).json()
    const values = { values: [{ day: '2026-03-01', value: 5 }] }
    const tried = [
      await viewer.post(url, newUnit()),
      await viewer.patch(`${url}/${unit.id}`, { name: 'x' }),
      await viewer.put(`${url}/${unit.id}/values`, values),
      await viewer.delete(`${url}/${unit.id}`),
    ]
    expect(tried.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403])
    expect(await audited(org, 'cloud.rbac_denied')).toHaveLength(4)
    const read = await viewer.get(`${url}/${unit.id}?from=2026-03-01&to=2026-03-01`)
    expect(read.json().days).toEqual([
      { day: '2026-03-01', cost: 0, value: null, costPerUnit: null, isComplete: true },
    ])
  })

  test('404: the units, workspaces and accounts of another organization', async () => {
    const [org, other] = [await harness.organization(), await harness.organization()]
    const [deployer, stranger] = [await org.user('Deployer'), await other.user('Owner')]
    const { unit } = (await deployer.post(url, newUnit())).json()
    const own = (await stranger.post(url, newUnit())).json().unit
    const at = `${url}/${unit.id}`
    const workspace = { scopeKind: 'workspace', scopeValue: String((await org.workspace()).id) }
    for (const response of [
      await stranger.get(at),
      await stranger.patch(at, { name: 7 }),
      await stranger.put(`${at}/values`, { values: [{ day: '2026-03-01', value: 5 }] }),
      await stranger.delete(at),
      await stranger.post(url, newUnit(workspace)),
      await stranger.patch(`${url}/${own.id}`, workspace),
      await stranger.post(url, newUnit({ scopeKind: 'account', scopeValue: '7' })),
    ]) {
      expect(response.statusCode).toBe(404)
      expect(response.json()).toEqual({ error: 'Not found', code: 'not_found' })
    }
    expect((await stranger.get(url)).json().units).toMatchObject([{ id: own.id }])
    expect((await deployer.get(at)).json().unit).toEqual(unit)
  })

  test('409: the 201st unit, also of three that come at once', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('cost_units')
        .insert(Array.from({ length: 199 }, () => ({ organizationId: org.id, ...newUnit() }))),
    )
    const answers = await Promise.all([1, 2, 3].map(async () => deployer.post(url, newUnit())))
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409,
    ])
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json().code).toBe('too_many_units')
    expect((await deployer.get(`${url}?limit=200`)).json().units).toHaveLength(200)
  })
})
