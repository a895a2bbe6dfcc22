import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { charge, storeCharges, type TestCharge } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dayAgo } from './sums-of-bill.ts'

const url = '/api/finops/units'
const march = (day: number) => `2026-03-${String(day).padStart(2, '0')}`
const window = (from: number, to: number) => `from=${march(from)}&to=${march(to)}`

describe('the cost of units', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  async function world() {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const get = async (address: string) => {
      const answer = await owner.get(address)
      expect(answer.statusCode, answer.body).toBe(200)
      return answer.json()
    }
    const load = async (charges: Array<Partial<TestCharge>>) =>
      storeCharges(harness.deps.store.platform, org.id, charges.map(charge))
    const unit = async (fields: object = {}) => {
      const body = { name: 'Orders', unit: 'order', scopeKind: 'all', ...fields }
      const made = await owner.post(url, body)
      expect(made.statusCode, made.body).toBe(201)
      return `${url}/${made.json().unit.id}`
    }
    const put = async (at: string, values: Record<string, number>) => {
      const body = { values: Object.entries(values).map(([day, value]) => ({ day, value })) }
      expect((await owner.put(`${at}/values`, body)).statusCode).toBe(200)
    }
    return { org, owner, get, load, unit, put }
  }

  test('each day has its cost, its value and the quotient; null without a value and at 0', async () => {
    const { get, load, unit, put } = await world()
    await load([
      { day: march(1), effective: '10' },
      { day: march(1), effective: '0.000000000001', service: 'Storage' },
      { day: march(2), effective: '7' },
      { day: march(3), effective: '5' },
      { day: march(6), effective: '1' },
    ])
    const at = await unit()
    await put(at, { [march(1)]: 3, [march(3)]: 0, [march(4)]: 8 })
    expect(await get(`${at}?${window(1, 4)}`)).toMatchObject({
      currency: 'USD',
      from: march(1),
      to: march(4),
      days: [
        { day: march(1), cost: 10.000000000001, value: 3, costPerUnit: 3.333333333334 },
        { day: march(2), cost: 7, value: null, costPerUnit: null },
        { day: march(3), cost: 5, value: 0, costPerUnit: null },
        { day: march(4), cost: 0, value: 8, costPerUnit: 0 },
      ],
      total: {
        cost: 22.000000000001,
        value: 11,
        // Not of the 7 of the day without a value.
        costPerUnit: 1.363636363636,
        measured: { days: 3, cost: 15.000000000001, value: 11 },
      },
      unconverted: [],
    })
    const none = (await get(`${at}?${window(2, 3)}`)).total
    expect(none).toMatchObject({ cost: 12, value: 0, costPerUnit: null })
    const without = (await get(`${at}?${window(2, 2)}`)).total
    expect(without).toEqual({
      cost: 7,
      value: null,
      costPerUnit: null,
      measured: { days: 0, cost: 0, value: null },
    })
  })

  test('each kind of scope has the cost that the payload has with the same filter', async () => {
    const { org, owner, get, load, unit } = await world()
    const workspace = await org.workspace()
    const { account } = (
      await owner.post('/api/cloud/accounts', {
        provider: 'aws',
        name: 'one',
        accountId: '123456789012',
        credentials: { roleArn: 'arn:aws:iam::123456789012:role/x' },
      })
    ).json()
    expect((await owner.patch('/api/org/settings', { tagKey: 'team' })).statusCode).toBe(200)
    const held = { owner: 'workspace', workspaceId: workspace.id } as const
    const rows = Array.from({ length: 60 }, (_, n) => ({
      day: march(1 + (n % 20)),
      effective: String(2 ** (n % 17)),
      source: n % 2 === 0 ? account.id : 'upload',
      provider: n % 3 === 0 ? 'azure' : 'aws',
      service: n % 5 === 0 ? 'Storage' : 'Compute',
      subAccount: n % 7 === 0 ? 'shop' : null,
      ...(n % 4 === 0 && held),
      tags: n % 6 === 0 ? {} : { team: n % 6 === 1 ? 'a=b' : '', env: 'x' },
    }))
    await load(rows)
    for (const [scopeKind, scopeValue, filter] of [
      ['all', null, ''],
      ['provider', 'Microsoft', 'provider=azure'],
      ['provider', 'AWS', 'provider=aws'],
      ['service', 'sTORAGE', 'service=Storage'],
      ['subAccount', 'shop', 'subAccountId=shop'],
      ['account', String(account.id), `accountId=${account.id}`],
      ['workspace', String(workspace.id), `workspaceId=${workspace.id}`],
      ['tag', 'team=a=b', 'tagKey=team&tagValue=a%3Db'],
      ['tag', 'team=', 'tagKey=team&tagValue='],
      ['tag', 'untagged', 'tagKey=team&untagged=true'],
      ['service', 'nothing', 'service=nothing'],
    ] as const) {
      const read = await get(`${await unit({ scopeKind, scopeValue })}?${window(4, 15)}`)
      const payload = await get(`/api/finops/cost?${window(4, 15)}&${filter}`)
      const name = `${scopeKind} ${scopeValue}`
      const days = read.days.map(({ day, cost }: Row) => ({ day, amount: cost }))
      expect(days, name).toEqual(payload.daily.map(({ day, amount }: Row) => ({ day, amount })))
      expect(read.total.cost, name).toBe(payload.total)
      if (scopeValue !== 'nothing') expect(payload.total, name).toBeGreaterThan(0)
    }
  })
  type Row = { day: string; cost?: number; amount?: number }

  test('days whose bill is not complete are shown, and measure nothing', async () => {
    const { get, load, unit, put } = await world()
    await load([
      { day: dayAgo(5), effective: '6', source: 'a' },
      { day: dayAgo(4), effective: '6', source: 'a' },
      { day: dayAgo(4), effective: '4', source: 'b' },
      { day: dayAgo(3), effective: '1', source: 'b' },
      // History: nothing is expected after it.
      { day: dayAgo(200), effective: '9', source: 'old' },
    ])
    const at = await unit()
    await put(at, { [dayAgo(5)]: 2, [dayAgo(4)]: 2, [dayAgo(3)]: 2, [dayAgo(0)]: 2 })
    const read = await get(`${at}?from=${dayAgo(6)}&to=${dayAgo(0)}`)
    expect(read.completeThrough).toBe(dayAgo(4))
    expect(read.days.at(-4)).toEqual({
      day: dayAgo(3),
      cost: 1,
      value: 2,
      costPerUnit: 0.5,
      isComplete: false,
    })
    expect(read.total).toEqual({
      cost: 17,
      value: 8,
      costPerUnit: 4,
      measured: { days: 2, cost: 16, value: 4 },
    })
    const { units } = await get(url)
    expect(units).toMatchObject([{ last30Days: { ...read.total, unconverted: [] } }])
    expect(units[0].last30Days.byDay).toHaveLength(30)
    expect(units[0].last30Days.byDay.slice(-7)).toEqual([null, 3, 5, null, null, null, null])
    const newest = await get(`${at}?from=${dayAgo(1)}&to=${dayAgo(0)}`)
    expect(newest.total).toMatchObject({ cost: 0, costPerUnit: null, measured: { days: 0 } })
    await put(at, { [dayAgo(200)]: 3 })
    const old = await get(`${at}?from=${dayAgo(201)}&to=${dayAgo(199)}`)
    expect(old.completeThrough).toBeNull()
    expect(old.total).toMatchObject({ costPerUnit: 3, measured: { days: 1 } })
  })

  test('an account that never delivered completes no day that the other bills do not', async () => {
    const { org, owner, get, load, unit, put } = await world()
    await load([{ day: dayAgo(5), effective: '6', source: 'a' }])
    const made = await owner.post('/api/cloud/accounts', {
      provider: 'aws',
      name: 'silent',
      accountId: '123456789012',
      credentials: { roleArn: 'arn:aws:iam::123456789012:role/x' },
      billing: { bucket: 'bills', prefix: '', region: 'eu-west-1', exportName: 'focus' },
    })
    const { id } = made.json().account
    await harness.deps.store
      .platform('billing_sources')
      .insert({ organizationId: org.id, cloudAccountId: id })
    for (const scope of [
      {},
      { scopeKind: 'account', scopeValue: String(id) },
      { scopeKind: 'provider', scopeValue: 'AWS' },
    ]) {
      const at = await unit(scope)
      await put(at, { [dayAgo(1)]: 2, [dayAgo(0)]: 2 })
      const { days, total } = await get(`${at}?from=${dayAgo(1)}&to=${dayAgo(0)}`)
      expect(days).toMatchObject([{ isComplete: false }, { isComplete: false }])
      expect(total).toMatchObject({ cost: 0, costPerUnit: null, measured: { days: 0 } })
    }
  })

  test('money is at the rate of the bill’s month; a day with money without one measures nothing', async () => {
    const { owner, get, load, unit, put } = await world()
    await load([
      { day: march(1), effective: '10' },
      { day: march(1), effective: '4', currency: 'EUR' },
      { day: march(2), effective: '2', currency: 'EUR', service: 'Storage' },
      { day: march(2), effective: '3', currency: 'CHF' },
    ])
    const [at, storage] = [
      await unit(),
      await unit({ scopeKind: 'service', scopeValue: 'Storage' }),
    ]
    for (const one of [at, storage]) await put(one, { [march(1)]: 5, [march(2)]: 5 })
    const before = await get(`${at}?${window(1, 2)}`)
    expect(before).toMatchObject({
      days: [
        { cost: 10, costPerUnit: null, isComplete: false },
        { cost: 0, costPerUnit: null, isComplete: false },
      ],
      total: { cost: 10, costPerUnit: null, measured: { days: 0, cost: 0, value: null } },
      unconverted: [
        { currency: 'CHF', amount: 3 },
        { currency: 'EUR', amount: 6 },
      ],
    })
    const rate = { month: '2026-03', base: 'EUR', quote: 'USD', rate: 1.25 }
    expect((await owner.post('/api/finops/rates', rate)).statusCode).toBe(201)
    expect(await get(`${at}?${window(1, 2)}`)).toMatchObject({
      days: [
        { cost: 15, costPerUnit: 3, isComplete: true },
        { cost: 2.5, costPerUnit: null, isComplete: false },
      ],
      total: { cost: 17.5, costPerUnit: 3, measured: { days: 1, cost: 15, value: 5 } },
      unconverted: [{ currency: 'CHF', amount: 3 }],
    })
    expect((await get(`${storage}?${window(1, 2)}`)).unconverted).toEqual([])
  })

  test('400: what has no tag, while the settings name none; cost of it is not known after that', async () => {
    const { owner, get, load, unit, put } = await world()
    await load([{ day: march(1), effective: '10' }])
    const scope = { scopeKind: 'tag', scopeValue: 'untagged' }
    const tagKey = async (key: string | null) =>
      expect((await owner.patch('/api/org/settings', { tagKey: key })).statusCode).toBe(200)
    const all = await unit()
    const refused = [
      await owner.post(url, { name: 'Orders', unit: 'order', ...scope }),
      await owner.patch(all, scope),
    ]
    await tagKey('team')
    const at = await unit(scope)
    await put(at, { [march(1)]: 5 })
    expect((await get(`${at}?${window(1, 1)}`)).total).toMatchObject({ cost: 10, costPerUnit: 2 })
    await tagKey(null)
    refused.push(await owner.put(`${at}/values`, { values: [{ day: march(2), value: 5 }] }))
    for (const answer of refused)
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'tag_key_missing'])
    expect(await get(`${at}?${window(1, 1)}`)).toMatchObject({
      days: [{ value: 5, costPerUnit: null, isComplete: false }],
      total: { costPerUnit: null, measured: { days: 0 } },
    })
  })

  test('304: the answer holds until the cost, the unit or a value of it changes', async () => {
    const { owner, load, unit, put } = await world()
    await load([{ day: march(1), effective: '10' }])
    const [at, other] = [await unit(), await unit()]
    const address = `${at}?${window(1, 2)}`
    let etag = String((await owner.get(address)).headers.etag)
    const held = async () =>
      (await owner.get(address, { headers: { 'if-none-match': etag } })).statusCode
    const changes = async (change: () => Promise<unknown>) => {
      expect(await held()).toBe(304)
      await change()
      expect(await held()).toBe(200)
      etag = String((await owner.get(address)).headers.etag)
    }
    await changes(async () => put(at, { [march(1)]: 3 }))
    await changes(async () => put(at, { [march(1)]: 4 }))
    await changes(async () => owner.patch(at, { name: 'Users' }))
    await changes(async () => load([{ day: march(1), effective: '11' }]))
    await put(other, { [march(1)]: 3 })
    await put(at, { [march(1)]: 4 })
    expect(await held()).toBe(304)
    const elsewhere = await owner.get(`${at}?${window(1, 3)}`, {
      headers: { 'if-none-match': etag },
    })
    expect(elsewhere.statusCode).toBe(200)
  })

  test('400: windows that the payload refuses too', async () => {
    const { owner, unit } = await world()
    const at = await unit()
    for (const query of [
      'from=2026-03-02&to=2026-03-01',
      'from=2020-01-01&to=2026-03-01',
      'from=2026-02-30',
      'to=yesterday',
    ])
      expect((await owner.get(`${at}?${query}`)).statusCode, query).toBe(400)
    const { from, days } = (await owner.get(at)).json()
    expect(from).toMatch(/-01$/)
    expect(days.length).toBeGreaterThan(27)
  })
})
