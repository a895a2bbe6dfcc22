import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../store/driver/tenant.ts'
import { forgetAccountsTask } from '../../worker/tasks/forget-accounts.ts'
import { awsAccount } from '../api/clouds/account-bodies.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { resourceRows } from '../harness/clouds/cloud-rows.ts'

const path = '/api/cloud/accounts'
const count = 30_000

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const run = async () => forgetAccountsTask(harness.deps).run()
const drain = async () => {
  let runs = 1
  while ((await run()) === 'more') runs += 1
  return runs
}

/** A connected account with so many resources in three places, all named `r-` and a number. */
async function filled(resources: number) {
  const org = await harness.organization()
  const user = await org.user('Owner')
  const body = awsAccount()
  const { id } = (await user.post(path, body)).json().account
  const stored = async (table: string, where: object = {}) =>
    harness.deps.store.tenant(org.id, async (tenant) => unwrap(tenant).db(table).where(where))
  await harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)
    await db.raw(
      `with places as (insert into cloud_places (organization_id, cloud_account_id, region, service)
         select :org, :id, 'region-' || n, '' from generate_series(0, 2) n returning id)
       insert into cloud_resources (organization_id, cloud_account_id, place_id, provider, cloud_id, service, type,
         name, region, tags, digest)
       select :org, :id, p.id, 'aws', p.id || '-' || n, 's3', 's3:bucket', 'r-' || n, 'r', '{}', ''
       from places p, generate_series(1, :each) n`,
      { org: org.id, id, each: resources / 3 },
    )
  })
  const shown = async () => {
    const list = (await user.get('/api/cloud/resources?q=r-1&limit=200')).json().resources
    const summary = (await user.get('/api/cloud/resources/summary')).json()
    return [list.length, summary.total]
  }
  return { org, user, body, id, url: `${path}/${id}`, stored, shown }
}

test('the resources of a disconnected account vanish at once, and are deleted in parts', async () => {
  const { org, user, id, url, stored, shown } = await filled(count)
  const other = (await user.post(path, awsAccount())).json().account
  await resourceRows(harness, { organizationId: org.id, accountId: other.id }, [{ cloudId: 'r-1' }])
  expect(await shown()).toEqual([200, count + 1])
  const [one] = await stored('cloud_resources', { cloudAccountId: id })

  expect((await user.delete(url)).json()).toEqual({ ok: true })
  expect(await shown()).toEqual([1, 1])
  expect((await user.get(`/api/cloud/resources/${one.id}`)).statusCode).toBe(404)
  expect(await stored('cloud_resources', { cloudAccountId: id })).toHaveLength(count)

  expect(await run()).toBe('more')
  expect(await stored('cloud_resources', { cloudAccountId: id })).toHaveLength(count - 2_000)
  expect(await Promise.all([run(), run(), run()])).toContain('more')
  expect(await drain()).toBeGreaterThan(5)
  for (const table of ['cloud_resources', 'cloud_places', 'cloud_syncs'])
    expect(await stored(table, { cloudAccountId: id })).toEqual([])
  expect(await stored('cloud_accounts', { id })).toMatchObject([{ forgetting: false }])
  expect(await shown()).toEqual([1, 1])
  expect(await run()).toBe('done')
}, 120_000)

test('connected again meanwhile: it shows nothing of before, and its sync follows', async () => {
  const { org, user, body, id, url, stored, shown } = await filled(6_000)
  await user.delete(url)
  expect(await run()).toBe('more')
  expect((await user.post(path, body)).json().account).toMatchObject({ id, status: 'pending' })
  expect((await user.get(`${url}/syncs`)).json().syncs).toEqual([])
  expect(await shown()).toEqual([0, 0])
  const early = await user.post(`${url}/sync`)
  expect([early.statusCode, early.json().code]).toEqual([409, 'account_forgetting'])

  await drain()
  expect(await stored('cloud_resources')).toEqual([])
  expect((await user.get(`${url}/syncs`)).json().syncs).toMatchObject([
    { trigger: 'connect', state: 'running' },
  ])
  await resourceRows(harness, { organizationId: org.id, accountId: id }, [{ cloudId: 'r-1' }])
  expect(await shown()).toEqual([1, 1])
})

test('purged and connected again meanwhile: it is another account, and only the former one goes', async () => {
  const { org, user, body, id, url, stored, shown } = await filled(6_000)
  await user.delete(`${url}?purge=true`)
  await run()
  const again = (await user.post(path, body)).json().account
  expect(again.id).not.toBe(id)
  await resourceRows(harness, { organizationId: org.id, accountId: again.id }, [{ cloudId: 'r-1' }])
  expect(await shown()).toEqual([1, 1])
  await drain()
  expect(await stored('cloud_accounts')).toMatchObject([{ id: again.id, forgetting: false }])
  expect(await stored('cloud_resources')).toHaveLength(1)
  expect((await user.delete(`${path}/${again.id}`)).statusCode).toBe(200)
})
