import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awsAccount } from './account-bodies.ts'

const path = '/api/cloud/accounts'
let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

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
