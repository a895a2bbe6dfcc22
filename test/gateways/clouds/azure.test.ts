import { createPipelineRequest } from '@azure/core-rest-pipeline'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { Cloud, CloudTarget } from '../../../gateways/clouds/cloud.ts'
import {
  azureHttpClient,
  resourceManager,
} from '../../../gateways/clouds/azure/azure-http-client.ts'
import type { Outbound } from '../../../gateways/outbound/outbound.ts'
import { testBadAnswers } from '../../harness/clouds/bad-answers.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  azureRefusal,
  graphPage,
  type ScriptedAzure,
  signInRefusal,
  startScriptedAzure,
  subscription,
  tenant,
} from '../../harness/clouds/scripted-azure.ts'
import { scriptedContainer } from '../../harness/clouds/scripted-blobs.ts'

const clientId = '11111111-2222-3333-4444-555555555555'
const federated = { tenantId: tenant, clientId }
const withSecret = { ...federated, clientSecret: 'the-client-secret' }
const whole: Place = { region: '', service: '', state: 'ok', reason: null }

describe('an Azure account', () => {
  let azure: ScriptedAzure
  beforeAll(async () => {
    azure = await startScriptedAzure()
    // What the operator's machine may hold for itself.
    for (const name of ['AZURE_AUTHORITY_HOST', 'HTTPS_PROXY', 'HTTP_PROXY', 'AZURE_CLIENT_SECRET'])
      vi.stubEnv(name, 'http://127.0.0.1:9/poisoned')
    vi.stubEnv('AZURE_REGIONAL_AUTHORITY_NAME', 'poisoned')
    vi.stubEnv('AZURE_TENANT_ID', 'poisoned')
  })
  afterEach(() => azure.reset())
  afterAll(async () => {
    vi.unstubAllEnvs()
    await azure.cloud.stop()
  })
  const openAt = openedClouds({
    provider: 'azure',
    accountId: subscription,
    credentials: withSecret,
  })
  const open = async (more: Partial<CloudTarget> = {}) => openAt(azure.cloud, more)
  const states = async (cloud: Cloud) =>
    (await cloud.validate()).checks.map(({ part, state }) => `${part} ${state}`)

  test('a client secret: all that is set up is ok, and nothing of this machine takes part', async () => {
    expect(await states(await open())).toEqual([
      'identity ok',
      'inventory ok',
      'billing off',
      'runs off',
    ])
    const token = azure.cloud.asked.find(({ path }) => path.endsWith('/token'))
    expect(token?.path).toBe(`/${tenant}/oauth2/v2.0/token`)
    expect(token?.body).toContain('client_secret=the-client-secret')
    // MSAL reports the region in its telemetry, to the account's own authority.
    const sent = JSON.stringify(azure.cloud.asked).replaceAll(/telemetry=[^&]*/g, '')
    expect(sent).not.toContain('poisoned')
    const graph = azure.cloud.asked.find(({ path }) => path.includes('ResourceGraph'))
    expect(graph?.headers.authorization).toBe('Bearer the-access-token')
  })

  test('without a secret: a token of the issuer is the client assertion', async () => {
    const cloud = await open({ credentials: federated })
    expect((await cloud.validate()).outcome).toBe('answered')
    const { body = '' } = azure.cloud.asked.find(({ path }) => path.endsWith('/token')) ?? {}
    const form = new URLSearchParams(body)
    expect(form.get('client_assertion')).toBe('token.for.api://AzureADTokenExchange')
    expect(form.get('client_secret')).toBeNull()
  })

  test.each([
    [7_000_215, /client secret is wrong/],
    [7_000_222, /client secret has expired/],
    [700_016, /Check tenantId and clientId/],
    [90_002, /no such tenant/],
    [700_213, /federated credential/],
  ])('AADSTS%i is rejected with what to do, and repeats no secret', async (code, reason) => {
    azure.handlers.token = (request) => signInRefusal(code, request)
    const cloud = await open()
    const validation = await cloud.validate()
    expect(validation.outcome).toBe('rejected')
    expect(validation.reason).toMatch(reason)
    const fault: unknown = await cloud.resources(whole, null).catch((error: unknown) => error)
    expect(fault).toMatchObject({ kind: 'credentials' })
    expect(fault).not.toHaveProperty('cause')
    expect(`${JSON.stringify(validation)} ${String(fault)}`).not.toContain('the-client-secret')
  })

  test('an empty answer of Resource Graph proves no right: the list of rights does', async () => {
    azure.handlers.permissions = () => ({
      body: { value: [{ actions: ['Microsoft.Resources/*'], notActions: [] }] },
    })
    const { checks, outcome } = await (await open()).validate()
    expect(outcome).toBe('answered')
    expect(checks[1]).toMatchObject({
      state: 'missing',
      missing: ['Microsoft.ResourceGraph/resources/read'],
    })
  })

  test('a right that was taken away lists nothing: what is left out would count as gone', async () => {
    const cloud = await open()
    expect(await cloud.places()).toEqual({ coverage: 'full', places: [whole] })
    azure.handlers.permissions = () => ({
      body: { value: [{ actions: ['Microsoft.Resources/*'], notActions: [] }] },
    })
    await expect(cloud.places()).rejects.toMatchObject({
      kind: 'denied',
      missing: ['Microsoft.ResourceGraph/resources/read'],
    })
  })

  test('a missing right is read out of the refusal', async () => {
    const message = `The client 'x' with object id 'y' does not have authorization to perform action 'Microsoft.Resources/subscriptions/read' over scope '/subscriptions/${subscription}'.`
    azure.handlers.subscription = () => azureRefusal(403, 'AuthorizationFailed', message)
    const { checks, outcome } = await (await open()).validate()
    expect(outcome).toBe('answered')
    expect(checks[0]).toMatchObject({
      state: 'missing',
      missing: ['Microsoft.Resources/subscriptions/read'],
    })
  })

  test('a deleted subscription is rejected; a disabled one is named as such', async () => {
    azure.handlers.subscription = () => azureRefusal(404, 'SubscriptionNotFound')
    const gone = await (await open()).validate()
    expect([gone.outcome, gone.reason]).toEqual(['rejected', expect.stringMatching(/deleted/)])
    azure.handlers.subscription = () => ({ body: { state: 'Disabled' } })
    const { checks } = await (await open()).validate()
    expect(checks[0]).toMatchObject({ state: 'failed', reason: expect.stringMatching(/disabled/) })
  })

  test('the pages of one query: ids in lower case, any Unicode, 2,000 characters', async () => {
    const long = `/subscriptions/${subscription}/resourceGroups/RG/${'x'.repeat(1_950)}`
    azure.handlers.graph = ({ body }) =>
      body.includes('page-2')
        ? graphPage([{ id: long, name: '', type: 'a/b', location: null, tags: null }])
        : graphPage(
            [
              {
                id: `/subscriptions/${subscription}/resourceGroups/RG/providers/Microsoft.Compute/virtualMachines/Größe`,
                name: 'Größe',
                type: 'Microsoft.Compute/virtualMachines',
                location: 'westeurope',
                tags: { '': '', '🧮': 'עברית', nul: 'a\0b' },
              },
            ],
            'page-2',
          )
    const cloud = await open()
    expect(await cloud.places()).toEqual({ coverage: 'full', places: [whole] })
    const first = await cloud.resources(whole, null)
    expect(first.resources).toEqual([
      {
        cloudId: `/subscriptions/${subscription}/resourcegroups/rg/providers/microsoft.compute/virtualmachines/größe`,
        service: 'microsoft.compute',
        type: 'microsoft.compute/virtualmachines',
        name: 'Größe',
        region: 'westeurope',
        tags: { '': '', '🧮': 'עברית', nul: 'a\uFFFDb' },
      },
    ])
    const second = await cloud.resources(whole, first.next)
    expect(second.next).toBeNull()
    expect(second.resources[0]?.cloudId).toBe(long.toLowerCase())
    const sent = JSON.parse(
      azure.cloud.asked.findLast(({ body }) => body.includes('query'))?.body ?? '',
    )
    expect(sent).toMatchObject({
      subscriptions: [subscription],
      options: { $top: 1_000, $skipToken: 'page-2', resultFormat: 'objectArray' },
    })
  })

  test('a management group is asked as a whole, and regions are a filter', async () => {
    const cloud = await open({
      accountId: 'managementGroups/platform',
      regions: ['westeurope', "x') | where true"],
    })
    await cloud.resources(whole, null)
    const sent = JSON.parse(
      azure.cloud.asked.findLast(({ body }) => body.includes('query'))?.body ?? '',
    )
    expect(sent.managementGroups).toEqual(['platform'])
    expect(sent.query).toContain("where location in~ ('westeurope')\n")
    expect(await states(cloud)).toContain('identity ok')
    expect(azure.cloud.asked.map(({ path }) => path)).toContain(
      '/providers/Microsoft.Management/managementGroups/platform',
    )
  })

  test('CloudQuery #15780: throttling is waited for as long as Retry-After says', async () => {
    let left = 2
    azure.handlers.graph = () =>
      (left -= 1) >= 0
        ? { ...azureRefusal(429, 'RateLimiting'), headers: { 'retry-after': '1' } }
        : graphPage([])
    const startedAt = performance.now()
    expect((await (await open()).resources(whole, null)).resources).toEqual([])
    expect(performance.now() - startedAt).toBeGreaterThan(1_900)
  })

  test.each([
    ['in seconds', { 'retry-after': '900' }],
    ['in a date', { 'retry-after': new Date(Date.now() + 900_000).toUTCString() }],
    ['in milliseconds', { 'x-ms-retry-after-ms': '30001' }],
  ])('throttling of more than 30 s %s ends the call as throttled', async (_, headers) => {
    let answers = 0
    azure.handlers.graph = () => {
      answers += 1
      return { ...azureRefusal(429, 'RateLimiting'), headers }
    }
    await expect((await open()).resources(whole, null)).rejects.toMatchObject({
      kind: 'throttled',
      message: expect.stringMatching(/asks to wait for \d+ s/),
    })
    expect(answers).toBe(1)
  })

  test('throttling of more than 30 s in all tries of one request ends it', async () => {
    const answer = { status: 429, headers: { 'retry-after': '20' }, body: Buffer.from('{}') }
    const outbound = { request: async () => answer } as unknown as Outbound
    const client = azureHttpClient(outbound, new Map())
    const request = () => createPipelineRequest({ url: `${resourceManager}/x` })
    const [one, other] = [request(), request()]
    expect((await client.sendRequest(one)).status).toBe(429)
    expect((await client.sendRequest(other)).status).toBe(429)
    await expect(client.sendRequest(one)).rejects.toMatchObject({ kind: 'throttled' })
  })

  test('a sign-in that is throttled for minutes is throttled, not refused', async () => {
    azure.handlers.token = () => ({ status: 429, headers: { 'retry-after': '900' }, body: {} })
    await expect((await open()).resources(whole, null)).rejects.toMatchObject({ kind: 'throttled' })
  })

  testBadAnswers({
    open,
    url: () => azure.cloud.url,
    list: (answer) => (azure.handlers.graph = answer),
    page: (token) =>
      token === undefined ? graphPage([{ id: '/subscriptions/a' }]) : graphPage([], token),
  })

  describe('the container of the bill', () => {
    const billing = { storageAccount: 'bills', container: 'exports', directory: 'focus' }
    test.each([
      ['the identity', {}, /^Bearer the-access-token$/],
      ['a SAS', { sasToken: '?sv=2023&sig=a%2Bb' }, undefined],
      [
        'a connection string',
        {
          connectionString: 'AccountName=bills;AccountKey=c2VjcmV0;EndpointSuffix=core.windows.net',
        },
        /^SharedKey bills:[A-Za-z0-9+/=]{44}$/,
      ],
    ])('is listed by %s', async (_, more, authorization) => {
      azure.handlers.blobs = (request) => scriptedContainer('exports').answer(request)
      expect(await states(await open({ billing: { ...billing, ...more } }))).toContain('billing ok')
      const listed = azure.cloud.asked.find(({ query }) => query.get('comp') === 'list')
      if (authorization) expect(listed?.headers.authorization).toMatch(authorization)
      else
        expect([listed?.headers.authorization, listed?.query.get('sig')]).toEqual([
          undefined,
          'a+b',
        ])
      expect([listed?.path, listed?.query.get('prefix')]).toEqual(['/exports', 'focus'])
    })

    test('that may not be listed names the right', async () => {
      const code = 'AuthorizationPermissionMismatch'
      azure.handlers.blobs = () => ({ status: 403, headers: { 'x-ms-error-code': code } })
      const { checks } = await (await open({ billing })).validate()
      expect(checks[2]).toMatchObject({
        state: 'missing',
        missing: ['Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read'],
      })
    })
  })
})
