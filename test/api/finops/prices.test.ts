import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

const newPrice = (fields: Record<string, unknown> = {}) => ({
  provider: 'hashicorp/aws',
  resourceType: 'aws_instance',
  match: { instance_type: 't3.micro' },
  monthlyPrice: 7.59,
  currency: 'USD',
  ...fields,
})

describe('/api/finops/prices', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const inStore = async (org: TestOrganization, id: number) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('prices').where({ id }).first(),
    )

  test('201, 200: a price is created, read by every member, changed and deleted', async () => {
    const org = await harness.organization()
    const [sre, viewer] = [await org.user('SRE · Cloud Admin'), await org.user('Viewer')]
    const made = await sre.post('/api/finops/prices', newPrice())
    expect(made.statusCode, made.body).toBe(201)
    const { price } = made.json()
    expect(price).toMatchObject({
      ...newPrice(),
      validFrom: new Date().toISOString().slice(0, 10),
      source: 'manual',
      version: 1,
    })
    const url = `/api/finops/prices/${price.id}`
    const changed = await sre.patch(url, {
      monthlyPrice: 8,
      validFrom: '2026-02-01',
      source: 'list',
    })
    expect(changed.json().price).toMatchObject({
      monthlyPrice: 8,
      validFrom: '2026-02-01',
      source: 'list',
      version: 2,
    })
    expect((await sre.patch(url, { monthlyPrice: 8 })).json().price.version).toBe(2)
    expect((await viewer.get('/api/finops/prices')).json().prices).toEqual([changed.json().price])
    expect((await sre.delete(url)).json()).toEqual({ ok: true })
    expect((await sre.delete(url)).statusCode).toBe(404)
    const events = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .whereLike('event', 'finops.%')
        .orderBy('id')
        .select('event', 'detail'),
    )
    expect(events.map(({ event }) => event)).toEqual([
      'finops.price_created',
      'finops.price_updated',
      'finops.price_deleted',
    ])
    expect(events[1].detail.monthlyPrice).toEqual({ from: 7.59, to: 8 })
  })

  test('201: an amount is stored without rounding', async () => {
    const org = await harness.organization()
    const sre = await org.user('SRE · Cloud Admin')
    for (const [written, kept] of [
      [1e-7, '0.000000100000'],
      [0.1 + 0.2, '0.300000000000'],
      [1e15, '1000000000000000.000000000000'],
      [0, '0.000000000000'],
    ] as const) {
      const made = await sre.post('/api/finops/prices', newPrice({ monthlyPrice: written }))
      expect(made.statusCode, made.body).toBe(201)
      expect((await inStore(org, made.json().price.id)).monthlyPrice).toBe(kept)
    }
  })

  test('400: an invalid amount, currency, day, path or type', async () => {
    const org = await harness.organization()
    const sre = await org.user('SRE · Cloud Admin')
    const tooMany = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`a${n}`, n]))
    for (const fields of [
      { monthlyPrice: -1 },
      { monthlyPrice: 1.1e15 },
      { monthlyPrice: '7' },
      { monthlyPrice: null },
      { monthlyPrice: 1e-13 },
      { currency: 'usd' },
      { currency: 'EURO' },
      { currency: 'QQQ' },
      { validFrom: '2026-02-30' },
      { validFrom: '0000-01-01' },
      { validFrom: 'today' },
      { match: tooMany },
      { match: { 'a b': 1 } },
      { match: { a: null } },
      { match: { a: {} } },
      { match: { '': 1 } },
      { provider: 'aws; drop' },
      { resourceType: '' },
      { region: 'eu' },
    ]) {
      const response = await sre.post('/api/finops/prices', newPrice(fields))
      expect([response.statusCode, response.json().code], JSON.stringify(fields)).toEqual([
        400,
        'validation_failed',
      ])
    }
    // JSON.stringify writes no number above the range of a double, but a client can send one.
    for (const infinite of ['"monthlyPrice":1e400', '"match":{"a":1e400},"monthlyPrice":1']) {
      const { monthlyPrice: _, match: __, ...rest } = newPrice()
      const payload = `${JSON.stringify(rest).slice(0, -1)},${infinite}}`
      const response = await harness.app.inject({
        method: 'POST',
        url: '/api/finops/prices',
        payload,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${await sre.token()}`,
        },
      })
      expect(response.statusCode, infinite).toBe(400)
    }
  })

  test('403: a Deployer may not change prices', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    expect((await deployer.post('/api/finops/prices', newPrice())).statusCode).toBe(403)
  })

  test('200: a person who changes a price becomes an author in workspaces with a cost limit', async () => {
    const org = await harness.organization()
    const sre = await org.user('SRE · Cloud Admin')
    const limited = await org.workspace({ fields: { costLimitMonthly: 100 } })
    const free = await org.workspace()
    const made = await sre.post('/api/finops/prices', newPrice())
    const url = `/api/finops/prices/${made.json().price.id}`
    const changes = async (id: number) =>
      harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant)
          .db('workspace_authorship')
          .where({ workspaceId: id, userId: sre.id, what: 'price' }),
      )
    expect([(await changes(limited.id)).length, (await changes(free.id)).length]).toEqual([1, 0])
    await sre.patch(url, { source: 'another list' })
    expect(await changes(limited.id)).toHaveLength(1)
    await sre.patch(url, { monthlyPrice: 9 })
    await sre.delete(url)
    expect(await changes(limited.id)).toHaveLength(3)
  })
})
