import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { approvedRun } from '../users/approve-as.ts'
import { googleAccount } from './account-bodies.ts'

const notFound = { error: 'Not found', code: 'not_found' }

describe('the cloud account of a workspace', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('201, 403, 404: a cloud account of one’s own organization, named by who may manage accounts', async () => {
    const org = await harness.organization()
    const [owner, deployer] = [await org.user('Owner'), await org.user('Deployer')]
    const stranger = await (await harness.organization()).user('Owner')
    const { account } = (await owner.post('/api/cloud/accounts', googleAccount())).json()
    const body = { name: 'on-account', cloudAccountId: account.id }
    expect((await deployer.post('/api/workspaces', body)).statusCode).toBe(403)
    expect((await stranger.post('/api/workspaces', body)).json()).toEqual(notFound)
    const { workspace } = (await owner.post('/api/workspaces', body)).json()
    expect(workspace.cloudAccountId).toBe(account.id)
    const url = `/api/workspaces/${workspace.id}`
    expect((await deployer.patch(url, { cloudAccountId: null })).statusCode).toBe(403)
    const without = await owner.patch(url, { cloudAccountId: null })
    expect(without.json().workspace.cloudAccountId).toBe(null)
    const again = await owner.patch(url, { cloudAccountId: account.id })
    expect(again.json().workspace.cloudAccountId).toBe(account.id)
    expect((await owner.patch(url, { cloudAccountId: account.id + 1_000 })).json()).toEqual(
      notFound,
    )
  })

  test('403: a Deployer gives no workspace the name by which a cloud trusts another one', async () => {
    const org = await harness.organization()
    const [owner, deployer] = [await org.user('Owner'), await org.user('Deployer')]
    const { account } = (await owner.post('/api/cloud/accounts', googleAccount())).json()
    const made = async (fields: object) => {
      const { workspace } = (await owner.post('/api/workspaces', fields)).json()
      return `/api/workspaces/${workspace.id}`
    }
    const onAccount = await made({ name: 'sandbox', cloudAccountId: account.id })
    const production = await made({ name: 'live', criticality: 'production' })
    const plain = await made({ name: 'plain' })
    const refused = await deployer.patch(onAccount, { name: 'prod' })
    expect([refused.statusCode, refused.json()]).toMatchObject([
      403,
      { code: 'forbidden', error: expect.stringMatching(/^Changing name needs manage_cloud/) },
    ])
    const { entries } = (await owner.get('/api/audit?event=workspace&limit=1')).json()
    expect(entries).toMatchObject([{ outcome: 'denied', detail: { what: 'name' } }])
    expect((await deployer.patch(production, { name: 'lively' })).statusCode).toBe(200)
    // Sent back as it is, it is no change.
    const kept = { name: 'sandbox', description: 'for trials' }
    expect((await deployer.patch(onAccount, kept)).statusCode).toBe(200)
    expect((await deployer.patch(plain, { name: 'plainer' })).statusCode).toBe(200)
    expect((await owner.patch(onAccount, { name: 'prod' })).statusCode).toBe(200)
  })

  test('200: a rename of a workspace with an account ends the plan that was made under the old name', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const { account } = (await owner.post('/api/cloud/accounts', googleAccount())).json()
    const run = await approvedRun(harness.deps, org, await org.user('SRE · Cloud Admin'))
    const { workspaceId: id } = await run.now()
    await harness.deps.store
      .platform('workspaces')
      .where({ id })
      .update({ cloudAccountId: account.id })
    const renamed = await owner.patch(`/api/workspaces/${id}`, { name: 'another-one' })
    expect(renamed.statusCode, renamed.body).toBe(200)
    expect(await run.now()).toMatchObject({
      phase: 'failed',
      reason: 'plan_stale',
      approved: false,
    })
  })
})
