import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { startScriptedCloud, type ScriptedCloud } from '../../harness/clouds/scripted-cloud.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awsAccount, awsKeys } from './account-bodies.ts'

const path = '/api/cloud/accounts'
let harness: Harness
let cloud: ScriptedCloud
beforeAll(async () => {
  cloud = await startScriptedCloud()
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS: `cloud=127.0.0.1:${cloud.port}` } })
})
afterAll(async () => {
  await harness.close()
  await cloud.stop()
})

/** The lock of store/clouds/cloud-syncs.ts: of an organization, one sync begins after the other. */
const beginLock = 726_199_447

/** Until so many transactions of this test's database wait for a lock. */
async function waiting(count: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await harness.deps.store.platform.raw(
          'select count(distinct w.pid)::integer as n from pg_locks w where not w.granted and exists (select from pg_locks g join pg_database d on d.oid = g.database where g.pid = w.pid and d.datname = current_database())',
        )
        return rows[0].n
      },
      { timeout: 5_000 },
    )
    .toBe(count)
}

test('members are connected while one of them is connected by itself', async () => {
  const org = await harness.organization()
  const user = await org.user('Owner')
  const { id } = (await user.post(path, awsAccount())).json().account
  const other = awsAccount({ accountId: '900000000002' })
  const members = [
    { accountId: '100000000001', name: 'a' },
    { accountId: '900000000002', name: 'b' },
  ]
  const release = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  const holding = harness.deps.store.platform.transaction(async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(?, ?)', [beginLock, org.id])
    isHeld.resolve()
    await release.promise
  })
  await isHeld.promise
  const chosen = user.post(`${path}/${id}/members`, { roleName: 'cc', members })
  await waiting(1)
  const single = user.post(path, other)
  await waiting(2)
  release.resolve()
  await holding
  const [all, one] = await Promise.all([chosen, single])
  expect([all.statusCode, one.statusCode], `${all.body} ${one.body}`).toEqual([200, 409])
  expect(all.json().results).toMatchObject([{ ok: true }, { ok: true }])
  expect(one.json()).toMatchObject({ code: 'account_already_connected' })
})

describe('while a merge holds an account', () => {
  const connected = async (fields: Record<string, unknown> = {}) => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const body = awsAccount(fields)
    const { id } = (await user.post(path, body)).json().account as { id: number }
    return { org, user, body, id }
  }
  const answered = ({
    statusCode,
    json,
  }: {
    statusCode: number
    json: () => { code?: string }
  }) => [statusCode, json().code]
  type Change = { sql: string }
  /** Holds the account until `work` is done, and then changes it. */
  const holding = async (
    { org, id }: { org: { id: number }; id: number },
    work: () => Promise<unknown>,
    change?: Change,
  ) =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)
      await db('cloud_accounts').where({ id }).forUpdate()
      await work()
      if (change) await db.raw(change.sql, [id])
    })

  test('409 account_already_connected at once, for one and as a member', async () => {
    const held = await connected()
    const { user, body, id } = held
    await holding(held, async () => {
      const members = [{ accountId: body.accountId, name: 'x' }]
      const tries = [
        user.post(path, body),
        user.post(`${path}/${id}/members`, { roleName: 'cc', members }),
      ]
      const [one, all] = await Promise.race([Promise.all(tries), sleep(2_500, [])])
      expect(one && answered(one)).toEqual([409, 'account_already_connected'])
      expect(all?.json().results).toMatchObject([{ ok: false, id }])
    })
  })

  test('409 account_busy for one that was disconnected, for one and as a member', async () => {
    const held = await connected()
    const { user, body, id } = held
    const { account } = (await user.post(path, awsAccount({ accountId: '555555555555' }))).json()
    await user.delete(`${path}/${id}`)
    await holding(held, async () => {
      const members = [{ accountId: body.accountId, name: 'x' }]
      const tries = [
        user.post(path, body),
        user.post(`${path}/${account.id}/members`, { roleName: 'cc', members }),
      ]
      const refused = await Promise.race([Promise.all(tries), sleep(10_000, [])])
      expect(refused.map(answered)).toEqual([
        [409, 'account_busy'],
        [409, 'account_busy'],
      ])
    })
  }, 30_000)

  test('201 for one that is purged meanwhile', async () => {
    const held = await connected()
    const { user, body, id } = held
    await user.delete(`${path}/${id}`)
    let again: ReturnType<typeof user.post> | undefined
    const change = { sql: 'update cloud_accounts set purging = true where id = ?' }
    await holding(
      held,
      async () => {
        again = user.post(path, body)
        await waiting(1)
      },
      change,
    )
    const made = await again
    expect(made?.statusCode, made?.body).toBe(201)
    expect(made?.json().account.id).not.toBe(id)
  })
})

test('429 too_many_lists: past four lists of members of an organization at once', async () => {
  const release = Promise.withResolvers<void>()
  cloud.answer = async () => release.promise.then(() => ({ status: 404 }))
  const user = await (await harness.organization()).user('Owner')
  const body = awsAccount({ credentials: awsKeys(), endpoint: cloud.url })
  const { account } = (await user.post(path, body)).json()
  const waits = Array.from({ length: 5 }, () => user.get(`${path}/${account.id}/members`))
  const refused = await Promise.race(waits)
  release.resolve()
  expect(answeredBy(refused)).toEqual([429, 'too_many_lists', '10'])
  const statuses = (await Promise.all(waits)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
})

const answeredBy = (answer: {
  statusCode: number
  headers: Record<string, unknown>
  json: () => { code?: string }
}) => [answer.statusCode, answer.json().code, answer.headers['retry-after']]
