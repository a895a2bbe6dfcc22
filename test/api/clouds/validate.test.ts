import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountDeps } from '../../../api/clouds/account-deps.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { validateAccountsTask } from '../../../worker/tasks/validate-accounts.ts'
import { startMoto, type Keys, type Moto } from '../../harness/clouds/moto.ts'
import { createHarness, freePort, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { hasPython } from '../../peers/python-tools.ts'
import { awsAccount, awsKeys } from './account-bodies.ts'

const path = '/api/cloud/accounts'
/** The one that moto's users belong to. */
const accountId = '123456789012'
// moto takes the service of the signature for the prefix of the right.
const inventory = ['ec2:DescribeRegions', 'tag:GetResources', 'tagging:GetResources']
const regions = ['us-east-1']

// moto checks signatures and the policies of users here, and has no Resource Explorer.
describe.skipIf(!hasPython())('validation, by moto', { timeout: 60_000 }, () => {
  let harness: Harness
  let moto: Moto
  let all: Keys
  let some: Keys
  let closedPort: number
  let redirecting: ReturnType<typeof createServer>
  let redirectingPort: number

  beforeAll(async () => {
    moto = await startMoto()
    await moto.setUp(async () => {
      all = await moto.user('all', inventory)
      some = await moto.user('some', ['ec2:DescribeRegions'])
      // moto loads each service at its first call, which takes longer than a validation may.
      await moto.call('ec2', 'DescribeRegions', {})
      await moto.call('sts', 'GetCallerIdentity', { Version: '2011-06-15' })
    })
    ;[closedPort, redirectingPort] = [await freePort(), await freePort()]
    redirecting = createServer((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${closedPort + 1}/` }).end()
    })
    redirecting.listen(redirectingPort, '127.0.0.1')
    const open = [moto.port, closedPort, redirectingPort].map((port) => `cloud=127.0.0.1:${port}`)
    harness = await createHarness({ env: { CC_PRIVATE_HOSTS: open.join(',') } })
  })
  afterAll(async () => {
    redirecting?.close()
    await harness?.close()
    await moto?.stop()
  })

  const at = (port: number) => `http://127.0.0.1:${port}`
  const connect = async (org: TestOrganization, fields: Record<string, unknown>) => {
    const user = await org.user('SRE · Cloud Admin')
    const body = awsAccount({ accountId, regions, endpoint: moto.url, ...fields })
    const made = await user.post(path, body)
    expect(made.statusCode, made.body).toBe(201)
    const url = `${path}/${made.json().account.id}`
    return {
      user,
      url,
      validate: async () => user.post(`${url}/validate`),
      account: async () => (await user.get(url)).json().account,
    }
  }
  const events = async (org: TestOrganization, event: string) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('audit_entries').where({ event }).orderBy('id'),
    )

  test('200: an account whose credentials have every right is healthy', async () => {
    const org = await harness.organization()
    const { validate, account } = await connect(org, { credentials: all })
    const answer = await validate()
    expect([answer.statusCode, answer.json()], answer.body).toMatchObject([
      200,
      { ok: true, missing: [], account: { status: 'healthy', statusReason: null } },
    ])
    expect((await account()).checks).toMatchObject([
      { part: 'identity', state: 'ok' },
      { part: 'inventory', state: 'ok' },
      { part: 'billing', state: 'off' },
      { part: 'runs', state: 'off' },
    ])
    expect(await events(org, 'cloud.account_status_changed')).toMatchObject([
      { detail: { from: 'pending', to: 'healthy' } },
    ])
    expect(await events(org, 'cloud.account_validated')).toMatchObject([{ outcome: 'success' }])
  })

  test('400 cloud_permissions_missing: each missing right by its name, and in which part', async () => {
    const org = await harness.organization()
    const { validate, account } = await connect(org, { credentials: some })
    const answer = await validate()
    expect([answer.statusCode, answer.json()], answer.body).toMatchObject([
      400,
      {
        code: 'cloud_permissions_missing',
        missing: ['tag:GetResources'],
        details: [{ path: 'inventory' }],
      },
    ])
    const shown = await account()
    expect(shown.status).toBe('degraded')
    expect(shown.statusReason).toBe(answer.json().error)
    expect(shown.statusReason).toContain('tag:GetResources')
  })

  test('400 cloud_credentials_rejected: wrong, swapped and another account’s keys', async () => {
    const org = await harness.organization()
    const swapped = { accessKeyId: all.accessKeyId, secretAccessKey: awsKeys().secretAccessKey }
    for (const credentials of [awsKeys(), swapped]) {
      const { validate, account, user, url } = await connect(org, { credentials })
      const answer = await validate()
      expect([answer.statusCode, answer.json().code], answer.body).toEqual([
        400,
        'cloud_credentials_rejected',
      ])
      expect(answer.body).not.toContain(credentials.secretAccessKey)
      expect(await account()).toMatchObject({
        status: 'invalid_credentials',
        statusReason: answer.json().error,
      })
      await user.delete(url)
    }
    const { validate } = await connect(org, { credentials: all, accountId: '999999999999' })
    expect((await validate()).json()).toMatchObject({
      code: 'cloud_credentials_rejected',
      error: expect.stringContaining(accountId),
    })
  })

  test('503 cloud_unreachable: three tries, then the account is unreachable, and healthy again after', async () => {
    const org = await harness.organization()
    const { validate, account, user, url } = await connect(org, {
      credentials: all,
      endpoint: at(closedPort),
    })
    for (const status of ['pending', 'pending', 'unreachable']) {
      const answer = await validate()
      expect([answer.statusCode, answer.json().code], answer.body).toEqual([
        503,
        'cloud_unreachable',
      ])
      expect((await account()).status).toBe(status)
    }
    await user.patch(url, { endpoint: moto.url })
    expect((await validate()).json().account?.status).toBe('healthy')
  })

  test('400 address_not_allowed: an endpoint that redirects to an address that is not open', async () => {
    const org = await harness.organization()
    const { validate } = await connect(org, { credentials: all, endpoint: at(redirectingPort) })
    const answer = await validate()
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([
      400,
      'address_not_allowed',
    ])
  })

  test('a new account is validated by itself, by one worker of several, and again once it changed', async () => {
    const org = await harness.organization()
    const { account, user, url } = await connect(org, { credentials: some })
    const task = validateAccountsTask({ ...accountDeps(harness.deps), log: harness.deps.log })
    await Promise.all([task.run(), task.run(), task.run()])
    expect((await account()).status).toBe('degraded')
    const validatedAt = (await account()).validatedAt
    await task.run()
    expect((await account()).validatedAt).toBe(validatedAt)
    await user.patch(url, { credentials: all })
    expect((await account()).status).toBe('pending')
    await task.run()
    expect((await account()).status).toBe('healthy')
    expect(await events(org, 'cloud.account_status_changed')).toHaveLength(2)
  })

  test('credentials that the cloud takes again end the pause after refused syncs; others do not', async () => {
    const org = await harness.organization()
    const later = new Date(Date.now() + 20 * 3_600_000)
    const paused = async (fields: Record<string, unknown>) => {
      const { url, validate, user } = await connect(org, fields)
      const id = Number(url.split('/').at(-1))
      const rows = () => harness.deps.store.platform('cloud_accounts').where({ id })
      const planned = { refusedSyncs: 5, nextSyncAt: later }
      await rows().update({ ...planned, status: 'invalid_credentials' })
      return { validate, planned, rows, remove: async () => user.delete(url) }
    }
    for (const [fields, code] of [
      [{ credentials: awsKeys() }, 'cloud_credentials_rejected'],
      [{ credentials: all, endpoint: at(closedPort) }, 'cloud_unreachable'],
    ] as const) {
      const { validate, planned, rows, remove } = await paused(fields)
      expect((await validate()).json().code).toBe(code)
      expect(await rows().first()).toMatchObject(planned)
      await remove()
    }
    const { validate, rows } = await paused({ credentials: all })
    const { account } = (await validate()).json()
    const row = await rows().first()
    expect(row).toMatchObject({ status: 'healthy', refusedSyncs: 0 })
    expect(row.nextSyncAt.getTime()).toBeLessThanOrEqual(Date.now())
    expect(account.nextSyncAt).toBe(row.nextSyncAt.toISOString())
    // Without refused syncs, a validation plans nothing.
    await rows().update({ nextSyncAt: later })
    await validate()
    expect(await rows().first()).toMatchObject({ refusedSyncs: 0, nextSyncAt: later })
  })

  test('403, 404: a Deployer, and another organization’s account', async () => {
    const org = await harness.organization()
    const { url } = await connect(org, { credentials: all })
    const deployer = await org.user('Deployer')
    expect((await deployer.post(`${url}/validate`)).statusCode).toBe(403)
    expect(await events(org, 'cloud.rbac_denied')).toHaveLength(1)
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.post(`${url}/validate`)).statusCode).toBe(404)
  })
})
