import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { policyOf, startMoto, type Keys, type Moto } from '../../harness/clouds/moto.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { hasPython } from '../../peers/python-tools.ts'
import { awsAccount, awsKeys, azureAccount } from './account-bodies.ts'

const path = '/api/cloud/accounts'
/** The one that moto's users belong to. */
const management = '123456789012'
const organizations = 'AWSOrganizationsV20161128'
const inventory = ['ec2:DescribeRegions', 'tag:GetResources', 'tagging:GetResources']

type Shown = { accountId: string; name: string; state: string; existingId: number | null }

// moto checks signatures and policies here.
describe.skipIf(!hasPython())('the members of an AWS organization, by moto', () => {
  let harness: Harness
  let moto: Moto
  let lists: Keys
  let listsNot: Keys
  const ids: Record<string, string> = {}

  const addMember = async (name: string) => {
    const made = await moto.callJson('organizations', `${organizations}.CreateAccount`, {
      AccountName: name,
      Email: `${name}@example.com`,
    })
    ids[name] = (made['CreateAccountStatus'] as { AccountId: string }).AccountId
  }
  /** As the StackSet makes it in the member. moto checks no trust policy of another account. */
  const addRole = async (accountId: string, rights = inventory) => {
    const AssumeRolePolicyDocument = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Federated: `arn:aws:iam::${accountId}:oidc-provider/id.example.com` },
          Action: 'sts:AssumeRoleWithWebIdentity',
        },
      ],
    })
    const role = { RoleName: 'cloud-control' }
    await moto.call('iam', 'CreateRole', { ...role, AssumeRolePolicyDocument }, accountId)
    const PolicyDocument = policyOf(rights)
    const policy = { ...role, PolicyName: 'own', PolicyDocument }
    await moto.call('iam', 'PutRolePolicy', policy, accountId)
  }

  // The first run installs moto.
  beforeAll(async () => {
    moto = await startMoto()
    await moto.setUp(async () => {
      await moto.callJson('organizations', `${organizations}.CreateOrganization`, {})
      for (const name of ['web', 'data', 'old']) await addMember(name)
      await moto.callJson('organizations', `${organizations}.CloseAccount`, {
        AccountId: ids['old'],
      })
      lists = await moto.user('lists', [...inventory, 'organizations:ListAccounts'])
      listsNot = await moto.user('lists-not', inventory)
    })
    harness = await createHarness({
      env: { CC_PRIVATE_HOSTS: `cloud=127.0.0.1:${moto.port}` },
    })
  }, 600_000)
  afterAll(async () => {
    await harness?.close()
    await moto?.stop()
  })

  const connect = async (org: TestOrganization, fields: Record<string, unknown> = {}) => {
    const user = await org.user('SRE · Cloud Admin')
    const body = { accountId: management, regions: ['us-east-1'], endpoint: moto.url, ...fields }
    const made = await user.post(path, awsAccount({ credentials: lists, ...body }))
    expect(made.statusCode, made.body).toBe(201)
    const { account } = made.json()
    return { user, account, url: `${path}/${account.id}/members` }
  }
  const listed = async (
    user: { get: (url: string) => Promise<{ json: () => never }> },
    url: string,
  ) =>
    (await user.get(url)).json() as {
      members: Shown[]
      nextCursor: string | null
      template: string
    }

  test('200: CloudQuery #2168: all pages, the suspended told apart, the connected marked', async () => {
    const org = await harness.organization()
    const { user, account, url } = await connect(org)
    const { members, nextCursor, template } = await listed(user, url)
    expect(nextCursor).toBeNull()
    expect(template).toContain(`organization:${org.slug}:account:`)
    const by = new Map(members.map((member) => [member.accountId, member]))
    expect(by.size).toBe(4)
    expect(by.get(management)).toMatchObject({ state: 'active', existingId: account.id })
    expect(by.get(ids['web'] ?? '')).toMatchObject({
      name: 'web',
      state: 'active',
      existingId: null,
    })
    expect(by.get(ids['old'] ?? '')).toMatchObject({ name: 'old', state: 'suspended' })

    const seen: string[] = []
    let cursor: string | null = null
    for (let pages = 0; pages === 0 || cursor !== null; pages += 1) {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = await listed(user, `${url}?limit=3${query}`)
      seen.push(...page.members.map(({ accountId }) => accountId))
      cursor = page.nextCursor
    }
    expect(seen.toSorted()).toEqual([...by.keys()].toSorted())
  })

  test('200: chosen members become accounts by a role of one name, and are reached', async () => {
    const org = await harness.organization()
    const { user, account, url } = await connect(org)
    const [web = '', data = ''] = [ids['web'], ids['data']]
    await moto.setUp(async () => {
      await addRole(web)
      await addRole(data, ['ec2:DescribeRegions'])
    })
    const body = {
      roleName: 'cloud-control',
      members: [
        { accountId: web, name: 'web' },
        { accountId: management, name: 'root' },
        { accountId: data, name: 'data' },
        { accountId: data, name: 'data again' },
      ],
    }
    const headers = { 'idempotency-key': 'members-1' }
    const answer = await user.post(url, body, { headers })
    expect(answer.statusCode, answer.body).toBe(200)
    const { results } = answer.json()
    expect(results).toMatchObject([
      { accountId: web, ok: true, code: null },
      { accountId: management, ok: false, id: account.id, code: 'account_already_connected' },
      { accountId: data, ok: true, code: null },
      { accountId: data, ok: true, code: null },
    ])
    expect((await user.post(url, body, { headers })).json().results).toEqual(results)
    const again = (await user.post(url, body)).json().results as Array<{ ok: boolean; id: number }>
    expect(again.map(({ ok }) => ok)).toEqual([false, false, false, false])
    expect(again.map(({ id }) => id)).toEqual(results.map(({ id }: { id: number }) => id))

    const made = (await user.get(`${path}/${results[0].id}`)).json().account
    expect(made).toMatchObject({
      name: 'web',
      accountId: web,
      credentialsKind: 'federation',
      regions: ['us-east-1'],
      endpoint: moto.url,
      sync: { trigger: 'connect' },
    })
    // Each by its own role: that of the other member may do less. moto cannot check the call that assumes
    // it, which has no signature.
    const validate = async (id: number) => {
      await moto.leaveUnchecked(1)
      return user.post(`${path}/${id}/validate`)
    }
    const checked = await validate(results[0].id)
    expect([checked.statusCode, checked.json().account?.status], checked.body).toEqual([
      200,
      'healthy',
    ])
    const refused = await validate(results[2].id)
    expect(refused.json()).toMatchObject({
      code: 'cloud_permissions_missing',
      missing: ['tag:GetResources'],
    })

    const { entries } = (await user.get('/api/audit?event=cloud.account_connected')).json()
    expect(entries.map(({ detail }: { detail: { memberOf?: number } }) => detail.memberOf)).toEqual(
      [account.id, account.id, undefined],
    )
    const { members } = await listed(user, url)
    const existing = members.filter(({ existingId }) => existingId !== null)
    expect(existing.map(({ accountId }) => accountId).toSorted()).toEqual(
      [web, data, management].toSorted(),
    )
  })

  test('400: without the right, with wrong keys, and what is no role or account', async () => {
    const without = await connect(await harness.organization(), { credentials: listsNot })
    expect((await without.user.get(without.url)).json()).toMatchObject({
      code: 'cloud_permissions_missing',
      missing: ['organizations:ListAccounts'],
    })
    const wrong = await connect(await harness.organization(), { credentials: awsKeys() })
    expect((await wrong.user.get(wrong.url)).json().code).toBe('cloud_credentials_rejected')
    const { user, url } = wrong
    const member = { accountId: '210987654321', name: 'x' }
    for (const body of [
      { roleName: 'a b', members: [member] },
      { roleName: 'cc', members: [] },
      { roleName: 'cc', members: [{ ...member, accountId: '1' }] },
      { roleName: 'cc', members: Array.from({ length: 51 }, () => member) },
      { roleName: 'cc', members: [member], surprise: 1 },
    ])
      expect((await user.post(url, body)).statusCode, JSON.stringify(body)).toBe(400)
    expect((await user.get(`${url}?limit=0`)).statusCode).toBe(400)
  })

  test('400: with credentials of another account nothing is listed', async () => {
    const { user, url } = await connect(await harness.organization(), { accountId: '777777777777' })
    const answer = await user.get(url)
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      {
        code: 'cloud_credentials_rejected',
        error: expect.stringContaining(`credentials of account ${management}`),
      },
    ])
  })

  test('400: members of an account whose endpoint may not receive tokens of the issuer', async () => {
    const endpoint = 'https://aws.example.com'
    const { user, url } = await connect(await harness.organization(), { endpoint })
    const body = { roleName: 'cc', members: [{ accountId: '210987654321', name: 'x' }] }
    const answer = await user.post(url, body)
    expect([answer.statusCode, answer.json().details?.[0]?.path]).toEqual([400, 'endpoint'])
    expect((await user.get(path)).json().accounts).toHaveLength(1)
  })

  test('409: another cloud has no members', async () => {
    const user = await (await harness.organization()).user('Owner')
    const { account } = (await user.post(path, azureAccount())).json()
    const url = `${path}/${account.id}/members`
    expect((await user.get(url)).json().code).toBe('not_in_organization')
    const body = { roleName: 'cc', members: [{ accountId: '210987654321', name: 'x' }] }
    expect((await user.post(url, body)).json().code).toBe('not_in_organization')
  })

  test('403 and 404: a Deployer may neither list nor connect; another organization’s account', async () => {
    const org = await harness.organization()
    const { url } = await connect(org)
    const deployer = await org.user('Deployer')
    const stranger = await (await harness.organization()).user('Owner')
    const body = { roleName: 'cc', members: [{ accountId: '210987654321', name: 'x' }] }
    const tries = [await deployer.get(url), await deployer.post(url, body)]
    expect(tries.map(({ statusCode }) => statusCode)).toEqual([403, 403])
    const denied = [await stranger.get(url), await stranger.post(url, body)]
    expect(denied.map(({ statusCode }) => statusCode)).toEqual([404, 404])
    const owner = await org.user('Owner')
    const { entries } = (await owner.get('/api/audit?event=cloud.rbac_denied')).json()
    expect(entries).toHaveLength(2)
  })
})
