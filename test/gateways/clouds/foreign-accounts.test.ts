import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { Cloud, CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  azureRefusal,
  type ScriptedAzure,
  startScriptedAzure,
  subscription,
  tenant,
} from '../../harness/clouds/scripted-azure.ts'
import type { CloudAnswer } from '../../harness/clouds/scripted-cloud.ts'
import {
  googleRefusal,
  type ScriptedGoogle,
  startScriptedGoogle,
} from '../../harness/clouds/scripted-google.ts'

// Credentials that the cloud accepts, for an account that is not theirs or does not exist.

const whole: Place = { region: '', service: '', state: 'ok', reason: null }
const listed = async (work: Promise<unknown>) => work.catch((error: unknown) => error)
const validated = async (cloud: Cloud) => {
  const { outcome, reason } = await cloud.validate()
  return { outcome, reason }
}

describe('an Azure account of others', () => {
  let azure: ScriptedAzure
  beforeAll(async () => {
    azure = await startScriptedAzure()
  })
  afterEach(() => azure.reset())
  afterAll(async () => azure.cloud.stop())
  const openAt = openedClouds({
    provider: 'azure',
    accountId: subscription,
    credentials: { tenantId: tenant, clientId: crypto.randomUUID(), clientSecret: 'secret' },
  })
  const open = async (more: Partial<CloudTarget> = {}) => openAt(azure.cloud, more)
  /** Resource Manager's words to a caller without a role, also where there is no such account. */
  const refused = (action: string) => () =>
    azureRefusal(
      403,
      'AuthorizationFailed',
      `The client 'x' with object id 'y' does not have authorization to perform action '${action}' over scope '/subscriptions/${subscription}' or the scope is invalid. If access was recently granted, please refresh your credentials.`,
    )
  const unread = refused('Microsoft.Resources/subscriptions/read')
  const unlisted = refused('Microsoft.Authorization/permissions/read')

  test.each([
    ['a refusal', unlisted],
    ['an empty list', (): CloudAnswer => ({ body: { value: [] } })],
  ])(
    'a subscription without a role, by %s of rights: rejected, with what to do',
    async (_, permissions) => {
      Object.assign(azure.handlers, { subscription: unread, permissions })
      const cloud = await open()
      const reason = expect.stringMatching(/no role in 0b1f6471.*[Cc]heck accountId/)
      expect(await validated(cloud)).toEqual({ outcome: 'rejected', reason })
      // Else the sync would make the account degraded again.
      expect(await listed(cloud.places())).toMatchObject({ kind: 'credentials', message: reason })
    },
  )

  test('a management group without a role: rejected', async () => {
    const permissions = unlisted
    const group = refused('Microsoft.Management/managementGroups/read')
    Object.assign(azure.handlers, { subscription: group, permissions })
    const { outcome, reason } = await validated(
      await open({ accountId: 'managementGroups/platform' }),
    )
    expect([outcome, reason]).toEqual(['rejected', expect.stringContaining('platform')])
  })

  test('one of the two that is refused is a missing right of an account that is theirs', async () => {
    azure.handlers.permissions = unlisted
    const { outcome, checks } = await (await open()).validate()
    expect(outcome).toBe('answered')
    expect(checks.slice(0, 2)).toMatchObject([
      { part: 'identity', state: 'ok' },
      { part: 'inventory', missing: ['Microsoft.Authorization/permissions/read'] },
    ])
  })

  test('a subscription of another tenant: rejected, and the reason names whose', async () => {
    const owner = 'a602cbf4-21c3-4761-b54e-acf397842b82'
    const told = `The access token is from the wrong issuer 'https://sts.windows.net/${tenant}/'. It must match the tenant 'https://sts.windows.net/${owner}/' associated with this subscription. Please use the authority (URL) 'https://login.windows.net/${owner}' to get the token.`
    const other = () => azureRefusal(401, 'InvalidAuthenticationTokenTenant', told)
    Object.assign(azure.handlers, { subscription: other, permissions: other, graph: other })
    const reason = `The subscription belongs to tenant ${owner}, and the credentials do not. Check accountId, or connect it with an application of that tenant.`
    const cloud = await open()
    expect(await validated(cloud)).toEqual({ outcome: 'rejected', reason })
    expect(await listed(cloud.places())).toMatchObject({ kind: 'credentials', message: reason })
  })
})

describe('a Google account of others', () => {
  let google: ScriptedGoogle
  beforeAll(async () => {
    google = await startScriptedGoogle()
  })
  afterEach(() => google.reset())
  afterAll(async () => google.cloud.stop())
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const serviceAccountKey = JSON.stringify({
    type: 'service_account',
    client_email: 'reader@project-42.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  })
  const openAt = openedClouds({
    provider: 'gcp',
    accountId: 'not-ours-7',
    credentials: { serviceAccountKey },
  })
  const open = async () => openAt(google.cloud)
  const refused = () =>
    googleRefusal(403, 'PERMISSION_DENIED', { message: 'The caller does not have permission' })

  test.each([
    ['an empty list', (): CloudAnswer => ({ body: {} })],
    ['a refusal', refused],
  ])(
    'a project without a role, by %s of rights: rejected, with whose they are and what to do',
    async (_, granted) => {
      Object.assign(google.handlers, { test: granted, search: refused })
      const cloud = await open()
      const reason = expect.stringMatching(/not-ours-7.*of project project-42\..*Check accountId/)
      expect(await validated(cloud)).toEqual({ outcome: 'rejected', reason })
      expect(await listed(cloud.resources(whole, null))).toMatchObject({
        kind: 'credentials',
        message: reason,
      })
    },
  )

  test('any right of setup shows that the project is theirs: the missing one is named', async () => {
    google.handlers.search = refused
    google.handlers.test = () => ({ body: { permissions: ['storage.objects.list'] } })
    const cloud = await open()
    const { outcome, checks } = await cloud.validate()
    expect(outcome).toBe('answered')
    expect(checks.slice(0, 2)).toMatchObject([
      { part: 'identity', state: 'ok' },
      { part: 'inventory', missing: ['cloudasset.assets.searchAllResources'] },
    ])
    expect(await listed(cloud.resources(whole, null))).toMatchObject({ kind: 'denied' })
  })
})
