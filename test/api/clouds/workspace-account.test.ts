import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
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
})
