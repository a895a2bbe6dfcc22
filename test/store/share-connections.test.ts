import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseLogins } from '../../gateways/keyring/database-logins.ts'
import { connectStore, type Store } from '../../store/driver/connect.ts'
import { shareConnections, type Share } from '../../store/driver/share-connections.ts'
import { unwrap, type Tenant } from '../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

/** Asks for `count` shares and returns those that are given at once. */
async function takeAtOnce(
  shares: ReturnType<typeof shareConnections>,
  organizationId: number,
  count: number,
): Promise<Share[]> {
  const given: Share[] = []
  for (let n = 0; n < count; n += 1)
    void shares.take(organizationId).then(
      (share) => given.push(share),
      () => undefined,
    )
  await new Promise((resolve) => setImmediate(resolve))
  return given
}

describe('the connections of a pool are shared between organizations', () => {
  test('one takes half of them, the next half of the rest, and a fourth still gets one', async () => {
    const shares = shareConnections(10, 50)
    const given = []
    for (const organizationId of [1, 2, 3, 4])
      given.push((await takeAtOnce(shares, organizationId, 10)).length)
    expect(given).toEqual([5, 3, 1, 1])
  })

  test('a pool of one connection serves one after the other, and all in turn', async () => {
    const shares = shareConnections(1)
    const order: number[] = []
    const work = [1, 1, 1, 2, 2, 3].map(async (organizationId) => {
      const share = await shares.take(organizationId)
      await share.run(async () => order.push(organizationId))
      share.giveBack()
    })
    await Promise.all(work)
    expect(order).toEqual([1, 1, 2, 3, 1, 2])
  })

  test('single statements wait for no transactions of their organization', async () => {
    const shares = shareConnections(10, 20)
    const transactions = await takeAtOnce(shares, 1, 10)
    expect(transactions).toHaveLength(5)
    const statement = await shares.takeForStatement(1)
    expect(await takeAtOnce(shares, 2, 10)).toHaveLength(2)
    statement.giveBack()
  })

  test('503 busy: one waits for its own connections longer than it may, and waits no more', async () => {
    const shares = shareConnections(2, 20)
    const first = await shares.take(1)
    await expect(shares.take(1)).rejects.toMatchObject({
      code: 'busy',
      fault: 'unavailable',
      retryAfterSeconds: 1,
    })
    first.giveBack()
    first.giveBack()
    expect(await takeAtOnce(shares, 1, 3)).toHaveLength(1)
  })

  test('a transaction within another one needs no share, and one after it does', async () => {
    const shares = shareConnections(1, 20)
    const outer = await shares.take(1)
    const inner = await outer.run(async () => shares.take(1))
    inner.giveBack()
    await expect(shares.take(1)).rejects.toMatchObject({ code: 'busy' })
    const late = outer.run(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return shares.take(1)
    })
    outer.giveBack()
    const other = await shares.take(2)
    await expect(late).rejects.toMatchObject({ code: 'busy' })
    other.giveBack()
  })
})

describe('a store', () => {
  let harness: Harness
  let store: Store
  beforeAll(async () => {
    harness = await createHarness()
    store = connectStore(databaseLogins(harness.config), 4, { isShared: true })
  })
  afterAll(async () => {
    await store.close()
    await harness.close()
  })

  test('another organization is answered while one asks for more than the pool has', async () => {
    const [slow, other] = [await harness.organization(), await harness.organization()]
    const until = Promise.withResolvers<void>()
    const asked = Array.from({ length: 12 }, async (_, n) => {
      const wait = async () => until.promise
      return n % 2 === 0 ? store.reading(slow.id, wait) : store.tenant(slow.id, wait)
    })
    const one = async (tenant: Tenant) => unwrap(tenant).db.raw('select 1 as one')
    for (let n = 0; n < 3; n += 1) {
      expect((await store.reading(other.id, one)).rows).toEqual([{ one: 1 }])
      expect((await store.tenant(other.id, one)).rows).toEqual([{ one: 1 }])
    }
    until.resolve()
    await Promise.all(asked)
  })

  test('its connections come back after errors and after readings', async () => {
    const organization = await harness.organization()
    const failing = Array.from({ length: 12 }, async (_, n) => {
      const fail = async (tenant: Tenant) => unwrap(tenant).db.raw('select 1 / 0')
      return n % 2 === 0
        ? store.reading(organization.id, fail)
        : store.tenant(organization.id, fail)
    })
    const ended = await Promise.allSettled(failing)
    expect(ended.every(({ status }) => status === 'rejected')).toBe(true)
    const nested = await store.tenant(organization.id, async () =>
      store.tenant(organization.id, async () =>
        store.reading(organization.id, async (tenant) => unwrap(tenant).db.raw('select 2 as two')),
      ),
    )
    expect(nested.rows).toEqual([{ two: 2 }])
  })
})
