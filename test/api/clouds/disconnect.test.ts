import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { forgetAccountsTask } from '../../../worker/tasks/forget-accounts.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { awsAccount, awsKeys } from './account-bodies.ts'

const path = '/api/cloud/accounts'

describe('disconnecting a cloud account', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const sql = async (org: TestOrganization, table: string) =>
    harness.deps.store.tenant(org.id, async (tenant) => unwrap(tenant).db(table).orderBy('id'))
  const forget = async () => {
    const task = forgetAccountsTask(harness.deps)
    while ((await task.run()) === 'more');
  }
  const addResource = async (org: TestOrganization, cloudAccountId: number) =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const { db, organizationId } = unwrap(tenant)
      const of = { organizationId, cloudAccountId }
      const region = 'eu-west-1'
      const [place] = await db('cloud_places')
        .insert({ ...of, region, service: '' })
        .returning('id')
      await db('cloud_resources').insert({
        ...of,
        placeId: place.id,
        provider: 'aws',
        cloudId: 'arn:aws:ec2:eu-west-1:1:instance/i-1',
        service: 'ec2',
        type: 'ec2:instance',
        name: 'i-1',
        region,
        tags: {},
        digest: '',
      })
    })

  test('409 account_in_use: a workspace names it; with detach it is let go and scrubbed', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const body = awsAccount({
      credentials: awsKeys(),
      billing: { bucket: 'bills', prefix: '', region: 'eu-west-1', exportName: 'focus' },
    })
    const { account } = (await user.post(path, body)).json()
    const workspace = await org.workspace({ by: user, fields: { cloudAccountId: account.id } })
    const url = `${path}/${account.id}`
    await addResource(org, account.id)
    const resources = async () => (await user.get('/api/cloud/resources')).json().resources
    const refused = await user.delete(url)
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'account_in_use'])
    expect(await resources()).toHaveLength(1)
    expect((await user.delete(`${url}?detached=true`)).statusCode).toBe(400)
    expect((await user.delete(`${url}?detach=true`)).json()).toEqual({ ok: true })
    expect((await user.get(url)).statusCode).toBe(404)
    expect(await resources()).toEqual([])
    await forget()
    expect(await sql(org, 'cloud_resources')).toEqual([])
    expect((await user.get(workspace.url)).json().workspace.cloudAccountId).toBe(null)
    const [row] = await sql(org, 'cloud_accounts')
    expect(row).toMatchObject({ credentials: null, billing: null, billingShown: null })
    expect((await sql(org, 'audit_entries')).at(-1)).toMatchObject({
      event: 'cloud.account_disconnected',
      detail: { detached: [workspace.id], purged: false },
    })

    const again = (await user.post(path, { ...body, billing: null })).json().account
    expect(again).toMatchObject({ id: account.id, status: 'pending', billing: null })
    expect((await user.delete(`${url}?purge=true`)).statusCode).toBe(200)
    await forget()
    expect(await sql(org, 'cloud_accounts')).toEqual([])
  })

  test('409 account_in_use: names the first ten of the workspaces', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const { account } = (await user.post(path, awsAccount())).json()
    const workspaces: Array<{ path: string; message: string }> = []
    for (let at = 0; at < 11; at++) {
      const fields = { cloudAccountId: account.id, name: `uses-it-${at}-${account.id}` }
      const { id } = await org.workspace({ by: user, fields })
      workspaces.push({ path: `workspaces/${id}`, message: fields.name })
    }
    const refused = await user.delete(`${path}/${account.id}`)
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      { code: 'account_in_use', details: workspaces.slice(0, 10) },
    ])
  })

  test('a merge that runs keeps nobody waiting; its resources are deleted after it', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const { account } = (await user.post(path, awsAccount())).json()
    await addResource(org, account.id)
    const url = `${path}/${account.id}`
    const [{ id: syncId }] = (await user.get(`${url}/syncs`)).json().syncs
    const [place] = await sql(org, 'cloud_places')
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db, organizationId } = unwrap(tenant)
      const merged = { organizationId, syncId, placeId: place.id }
      await db('cloud_sync_places').insert({ ...merged, state: 'waiting' })
    })
    await harness.deps.store.tenant(org.id, async (tenant) => {
      await unwrap(tenant).db('cloud_sync_places').where({ syncId }).forUpdate()
      expect((await user.delete(url)).json()).toEqual({ ok: true })
      expect(await sql(org, 'cloud_syncs')).toMatchObject([{ id: syncId, state: 'failed' }])
      await forget()
      expect(await sql(org, 'cloud_resources')).toHaveLength(1)
    })
    await forget()
    expect(await sql(org, 'cloud_resources')).toEqual([])
    expect(await sql(org, 'cloud_syncs')).toEqual([])
  })

  test('connected again, it shows no sync of before', async () => {
    const user = await (await harness.organization()).user('Owner')
    const body = awsAccount()
    const { account } = (await user.post(path, body)).json()
    expect((await user.get(`${path}/${account.id}`)).json().account.sync).toMatchObject({ seen: 0 })
    await user.delete(`${path}/${account.id}`)
    expect((await user.post(path, body)).json().account.id).toBe(account.id)
    expect((await user.get(`${path}/${account.id}`)).json().account.sync).toBeNull()
  })

  test('409 account_busy: somebody else holds the account', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const { account } = (await user.post(path, awsAccount())).json()
    await harness.deps.store.tenant(org.id, async (tenant) => {
      await unwrap(tenant).db('cloud_accounts').where({ id: account.id }).forUpdate()
      const answers = Promise.all([
        user.delete(`${path}/${account.id}`),
        user.patch(`${path}/${account.id}`, { name: 'another' }),
      ])
      const refused = await Promise.race([answers, sleep(10_000, [])])
      expect(refused.map((answer) => [answer.statusCode, answer.json().code])).toEqual([
        [409, 'account_busy'],
        [409, 'account_busy'],
      ])
    })
    expect((await user.delete(`${path}/${account.id}`)).json()).toEqual({ ok: true })
  }, 30_000)
})
