import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import {
  signInRefusal,
  startScriptedAzure,
  subscription,
} from '../../harness/clouds/scripted-azure.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { approvedRun } from '../users/approve-as.ts'
import { awsAccount, awsKeys, azureAccount, googleAccount } from './account-bodies.ts'

const path = '/api/cloud/accounts'
const role = (name: string) => ({ roleArn: `arn:aws:iam::123456789012:role/${name}` })

describe('the identities that an account lends to runs', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness({ env: { CC_PRIVATE_HOSTS: 'cloud=127.0.0.1:5000' } })
  })
  afterAll(async () => harness.close())

  test('201, 200: they are connected, shown, replaced whole and taken away, and audited', async () => {
    const org = await harness.organization()
    const user = await org.user('SRE · Cloud Admin')
    const forms = [
      [awsAccount(), { plan: role('plan'), apply: role('apply') }],
      [awsAccount({ credentials: awsKeys() }), { plan: 'account' }],
      [azureAccount(), { apply: { clientId: crypto.randomUUID() }, plan: 'account' }],
      [googleAccount(), { plan: { serviceAccountEmail: 'plan@p.iam.gserviceaccount.com' } }],
    ]
    for (const [body, runs] of forms) {
      const made = await user.post(path, { ...body, runs })
      expect([made.statusCode, made.json().account?.runs], made.body).toEqual([201, runs])
    }
    const made = await user.post(path, awsAccount({ runs: { plan: role('plan') } }))
    const url = `${path}/${made.json().account.id}`
    const changed = await user.patch(url, { runs: { apply: role('apply') } })
    expect(changed.json().account).toMatchObject({
      runs: { apply: role('apply') },
      status: 'pending',
    })
    expect((await user.get(url)).json().account.runs).toEqual({ apply: role('apply') })
    for (const runs of [{}, null])
      expect((await user.patch(url, { runs })).json().account.runs, JSON.stringify(runs)).toBeNull()
    const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ event: 'cloud.account_updated' })
        .orderBy('id')
        .pluck('detail'),
    )
    expect(entries).toMatchObject([
      { runs: { from: { plan: role('plan') }, to: { apply: role('apply') } } },
      { runs: { to: null } },
    ])
  })

  test('400: forms of another cloud, none, two, and an unknown phase', async () => {
    const user = await (await harness.organization()).user('Owner')
    const wrong: Array<[Record<string, unknown>, unknown, string]> = [
      [awsAccount(), { plan: { clientId: crypto.randomUUID() } }, 'runs.plan.clientId'],
      [awsAccount(), { plan: {} }, 'runs.plan'],
      [azureAccount(), { apply: role('x') }, 'runs.apply.roleArn'],
      [awsAccount(), { destroy: 'account' }, 'runs.destroy'],
    ]
    for (const [body, runs, field] of wrong) {
      const answer = await user.post(path, { ...body, runs })
      expect([answer.statusCode, answer.json().details?.[0]?.path], answer.body).toEqual([
        400,
        field,
      ])
    }
    for (const runs of [{ plan: 'keys' }, 'account', { plan: null }])
      expect((await user.post(path, awsAccount({ runs }))).statusCode, JSON.stringify(runs)).toBe(
        400,
      )
  })

  test('400: an Azure secret is never lent, whether it or the setting comes later', async () => {
    const user = await (await harness.organization()).user('Owner')
    const { credentials } = azureAccount()
    const secret = { ...credentials, clientSecret: 'a-secret-of-the-application' }
    const made = await user.post(
      path,
      azureAccount({ credentials: secret, runs: { plan: 'account' } }),
    )
    expect([made.statusCode, made.json().details?.[0]?.path]).toEqual([400, 'runs.plan'])
    const federated = (await user.post(path, azureAccount({ runs: { apply: 'account' } }))).json()
    const later = await user.patch(`${path}/${federated.account.id}`, { credentials: secret })
    expect([later.statusCode, later.json().details?.[0]?.path]).toEqual([400, 'runs.apply'])
    const both = { credentials: secret, runs: null }
    expect((await user.patch(`${path}/${federated.account.id}`, both)).statusCode).toBe(200)
  })

  test('400: tokens of runs go to no address that is not the cloud’s own', async () => {
    const user = await (await harness.organization()).user('Owner')
    const endpoint = 'https://example.com/'
    const keys = awsAccount({ credentials: awsKeys(), endpoint })
    const refused = await user.post(path, { ...keys, runs: { plan: role('plan') } })
    expect([refused.statusCode, refused.json().details?.[0]?.path]).toEqual([400, 'endpoint'])
    const made = await user.post(path, { ...keys, runs: { plan: 'account' } })
    expect(made.statusCode, made.body).toBe(201)
    const later = await user.patch(`${path}/${made.json().account.id}`, {
      runs: { plan: role('plan') },
    })
    expect(later.statusCode).toBe(400)
  })

  test('an application that refuses the runs is tried once a workspace uses the account', async () => {
    const azure = await startScriptedAzure()
    try {
      const clientId = crypto.randomUUID()
      azure.handlers.token = (request) =>
        request.body.includes(clientId)
          ? signInRefusal(700213, request)
          : { body: { token_type: 'Bearer', expires_in: 3_599, access_token: 'the-token' } }
      const other = await createHarness({
        env: { CC_PRIVATE_HOSTS: `cloud=127.0.0.1:${azure.cloud.port}` },
      })
      const org = await other.organization()
      const user = await org.user('Owner')
      const body = { endpoint: azure.cloud.url, accountId: subscription }
      const { account } = (
        await user.post(path, azureAccount({ ...body, runs: { plan: { clientId } } }))
      ).json()
      const due = async () => {
        const rows = other.deps.store.platform('cloud_accounts').where({ id: account.id })
        const { nextValidationAt } = await rows.first('nextValidationAt')
        return nextValidationAt.getTime() <= Date.now()
      }
      // Its federated credential may name one workspace alone, and there is none to name yet.
      const early = await user.post(`${path}/${account.id}/validate`)
      expect([early.statusCode, early.json().account], early.body).toMatchObject([
        200,
        { status: 'healthy', statusReason: null },
      ])
      const untried = expect.stringContaining('is tried once a workspace uses this account')
      expect(early.json().account.checks[3]).toMatchObject({ state: 'off', reason: untried })
      expect(await due()).toBe(false)
      const workspace = await org.workspace({ by: user })
      const naming = { cloudAccountId: account.id }
      expect((await user.patch(workspace.url, naming)).statusCode).toBe(200)
      expect(await due()).toBe(true)
      const answer = await user.post(`${path}/${account.id}/validate`)
      expect([answer.statusCode, answer.json()], answer.body).toMatchObject([
        400,
        { code: 'cloud_permissions_missing', missing: [], details: [{ path: 'runs' }] },
      ])
      expect(answer.json().error).toContain('federated credential')
      await other.close()
    } finally {
      await azure.cloud.stop()
    }
  })

  test('who changes them is an author of the next run of each workspace that uses the account', async () => {
    const org = await harness.organization()
    const [owner, sre] = [await org.user('Owner'), await org.user('SRE · Cloud Admin')]
    const { account } = (await owner.post(path, awsAccount())).json()
    const workspace = await org.workspace({ by: owner })
    await owner.patch(workspace.url, { cloudAccountId: account.id })
    const noted = async () =>
      harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant).db('workspace_authorship').where({ userId: sre.id }).pluck('what'),
      )
    await sre.patch(`${path}/${account.id}`, { name: 'Other' })
    expect(await noted()).toEqual([])
    const changed = await sre.patch(`${path}/${account.id}`, { runs: { apply: role('writes') } })
    expect(changed.statusCode, changed.body).toBe(200)
    expect(await noted()).toEqual(['identities of the cloud account'])
    await sre.patch(`${path}/${account.id}`, { runs: { apply: role('writes') } })
    expect(await noted()).toHaveLength(1)
  })

  test.each([
    [
      'its own identity',
      { apply: 'account' },
      'awaiting_approval',
      ['identities of the cloud account'],
    ],
    ['another role', { apply: role('writes') }, 'apply_queued', []],
  ])('200: other credentials of an account that lends runs %s: %j, %s', async (...row) => {
    const [, runs, phase, what] = row
    const org = await harness.organization()
    const [owner, sre] = [await org.user('Owner'), await org.user('SRE · Cloud Admin')]
    const { account } = (await owner.post(path, awsAccount({ runs }))).json()
    const run = await approvedRun(harness.deps, org, await org.user('Owner'))
    const { workspaceId } = await run.now()
    await owner.patch(`/api/workspaces/${workspaceId}`, { cloudAccountId: account.id })
    await run.approveAgain()
    expect(await run.now()).toMatchObject({ phase: 'apply_queued', approved: true })
    const credentials = { roleArn: `arn:aws:iam::${account.accountId}:role/wider` }
    const changed = await sre.patch(`${path}/${account.id}`, { credentials })
    expect(changed.statusCode, changed.body).toBe(200)
    expect(await run.now()).toMatchObject({ phase, approved: phase === 'apply_queued' })
    const noted = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('workspace_authorship').where({ userId: sre.id }).pluck('what'),
    )
    expect(noted).toEqual(what)
  })

  test('403: a Deployer may not change them', async () => {
    const org = await harness.organization()
    const { account } = (await (await org.user('Owner')).post(path, awsAccount())).json()
    const deployer = await org.user('Deployer')
    const answer = await deployer.patch(`${path}/${account.id}`, { runs: { apply: 'account' } })
    expect(answer.statusCode).toBe(403)
  })
})
