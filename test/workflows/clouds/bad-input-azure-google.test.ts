import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectedCloud } from '../../harness/clouds/connected-cloud.ts'
import {
  azureRefusal,
  graphPage,
  type ScriptedAzure,
  signInRefusal,
  startScriptedAzure,
  subscription,
  tenant,
} from '../../harness/clouds/scripted-azure.ts'
import {
  googleRefusal,
  type ScriptedGoogle,
  startScriptedGoogle,
  tokenRefusal,
} from '../../harness/clouds/scripted-google.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

// From the request that connects an account to the end of its sync, by the real worker. When the harness
// closes, all that was written is searched for the secrets, also Temporal's histories.
let harness: Harness
let azure: ScriptedAzure
let google: ScriptedGoogle
beforeAll(async () => {
  ;[azure, google] = await Promise.all([startScriptedAzure(), startScriptedGoogle()])
  const open = [azure.cloud.port, google.cloud.port].map((port) => `cloud=127.0.0.1:${port}`)
  harness = await createHarness({ worker: true, env: { CC_PRIVATE_HOSTS: open.join(',') } })
})
afterEach(() => {
  azure.reset()
  google.reset()
})
afterAll(async () => {
  await harness?.close()
  await Promise.all([azure?.cloud.stop(), google?.cloud.stop()])
})

const long = (before: string) => before + 'x'.repeat(2_000 - before.length)
const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`ключ ${n} 🔑`, '']))

describe('an Azure account that answers badly', { timeout: 120_000 }, () => {
  const scope = `/subscriptions/${subscription}`
  const body = (more: Record<string, unknown> = {}) => ({
    provider: 'azure',
    name: 'Bad',
    accountId: subscription,
    credentials: {
      tenantId: tenant,
      clientId: crypto.randomUUID(),
      clientSecret: randomBytes(24).toString('base64url'),
    },
    endpoint: azure.cloud.url,
    ...more,
  })
  const row = (name: string) => ({
    id: `${scope}/vm/${name}`,
    name,
    type: 'a/vm',
    location: 'west',
  })
  /** A healthy account with one resource. */
  const well = async () => {
    azure.handlers.graph = () => graphPage([row('a')])
    const cloud = await connectedCloud(harness, body())
    expect(await cloud.first()).toMatchObject({ state: 'succeeded', seen: 1 })
    await cloud.becomes('healthy')
    return cloud
  }

  test.each([
    [7_000_222, /secret has expired/],
    [7_000_215, /secret is wrong/],
    [90_002, /no such tenant/],
    [700_016, /does not know the application/],
  ])('AADSTS%i: invalid_credentials with what to do, and all stays', async (code, reason) => {
    const cloud = await well()
    azure.handlers.token = (request) => signInRefusal(code, request)
    const said = expect.stringMatching(reason)
    expect(await cloud.sync()).toMatchObject({ state: 'failed', reason: said, gone: 0 })
    expect(await cloud.account()).toMatchObject({
      status: 'invalid_credentials',
      statusReason: said,
    })
    expect((await cloud.resources()).map(({ state }) => state)).toEqual(['present'])
  })

  test('a deleted subscription: invalid_credentials, and nothing is gone', async () => {
    const cloud = await well()
    const deleted = () => azureRefusal(404, 'SubscriptionNotFound')
    Object.assign(azure.handlers, { subscription: deleted, permissions: deleted, graph: deleted })
    const reason = expect.stringMatching(/deleted or disabled/)
    expect(await cloud.sync()).toMatchObject({ state: 'failed', reason, gone: 0 })
    await cloud.validate()
    expect(await cloud.account()).toMatchObject({
      status: 'invalid_credentials',
      statusReason: reason,
    })
  })

  test('a disabled subscription: degraded, also after a sync that lists it', async () => {
    const cloud = await well()
    azure.handlers.subscription = () => ({ body: { state: 'Disabled' } })
    await cloud.validate()
    const shown = { status: 'degraded', statusReason: expect.stringMatching(/disabled/) }
    expect(await cloud.account()).toMatchObject(shown)
    expect(await cloud.sync()).toMatchObject({ state: 'succeeded', seen: 1 })
    expect(await cloud.account()).toMatchObject(shown)
  })

  test('throttled, half a page and a reset: waited for and asked again, all comes whole', async () => {
    const answers = [
      { ...azureRefusal(429, 'RateLimiting'), headers: { 'retry-after': '1' } },
      { ...graphPage([row('a'), row('b')]), cutAt: 30 },
    ]
    azure.handlers.graph = () => answers.shift() ?? graphPage([row('a'), row('b')])
    const cloud = await connectedCloud(harness, body())
    expect(await cloud.first()).toMatchObject({ state: 'succeeded', seen: 2 })
    expect(answers).toEqual([])
  })

  test('20,000 patterns of roles: the sync failed and says so, and nothing is gone', async () => {
    const cloud = await well()
    const types = Array.from({ length: 20_000 }, (_, n) => `a/t${n}/read`)
    const role = { actions: ['Microsoft.ResourceGraph/*', 'a/vm/read', ...types], notActions: [] }
    azure.handlers.permissions = () => ({ body: { value: [role] } })
    azure.handlers.graph = () => graphPage([])
    const reason = expect.stringContaining('more than 5,000 patterns')
    expect(await cloud.sync()).toMatchObject({ state: 'failed', reason, gone: 0, places: [] })
    expect((await cloud.resources()).map(({ state }) => state)).toEqual(['present'])
    await cloud.validate()
    expect(await cloud.account()).toMatchObject({ status: 'degraded', statusReason: reason })
  })

  test('a page token that repeats: the sync failed and says so, and nothing is gone', async () => {
    const cloud = await well()
    azure.handlers.graph = () => graphPage([row('b')], 'again')
    expect(await cloud.sync()).toMatchObject({
      state: 'failed',
      gone: 0,
      places: [{ state: 'failed', reason: expect.stringContaining('page token') }],
    })
    expect((await cloud.resources()).map(({ state }) => state)).toEqual(['present'])
    await cloud.validate()
    expect(await cloud.account()).toMatchObject({
      status: 'degraded',
      statusReason: expect.stringContaining('page token'),
    })
  })

  test('an id of 2,000 characters, 50 tags, and values that are none', async () => {
    const id = long(`${scope}/`)
    const tags = { ...many, 'nul\0': 'half \u{D800}', n: 1, o: {} }
    azure.handlers.graph = () =>
      graphPage([
        { ...row('a'), id, tags },
        { ...row('b'), id: 7 },
        { ...row('c'), tags: 'none' },
      ])
    const cloud = await connectedCloud(harness, body())
    expect(await cloud.first()).toMatchObject({ state: 'succeeded', seen: 2 })
    const one = (await cloud.resources()).find(({ cloudId }) => cloudId === id)
    expect(one?.tags).toEqual({ ...many, 'nul\u{FFFD}': 'half \u{FFFD}', n: '', o: '' })
  })
})

describe('a Google account that answers badly', { timeout: 120_000 }, () => {
  const key = () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    return JSON.stringify({
      type: 'service_account',
      client_email: 'reader@p.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    })
  }
  const body = (more: Record<string, unknown> = {}) => ({
    provider: 'gcp',
    name: 'Bad',
    accountId: `p-${randomBytes(6).toString('hex')}`,
    credentials: { serviceAccountKey: key() },
    endpoint: google.cloud.url,
    ...more,
  })
  const asset = (name: string) => ({
    name: `//storage.googleapis.com/${name}`,
    assetType: 'storage.googleapis.com/Bucket',
    location: 'eu',
  })
  const results = (...found: object[]) => ({ body: { results: found } })
  const well = async () => {
    google.handlers.search = () => results(asset('a'))
    const cloud = await connectedCloud(harness, body())
    expect(await cloud.first()).toMatchObject({ state: 'succeeded', seen: 1 })
    await cloud.becomes('healthy')
    return cloud
  }

  test('a key that was deleted: invalid_credentials with what to do, and all stays', async () => {
    const cloud = await well()
    google.handlers.token = (request) =>
      tokenRefusal('invalid_grant', 'Invalid grant: account not found', request)
    const said = expect.stringMatching(/does not know the key/)
    expect(await cloud.sync()).toMatchObject({ state: 'failed', gone: 0 })
    await cloud.validate()
    expect(await cloud.account()).toMatchObject({
      status: 'invalid_credentials',
      statusReason: said,
    })
    expect((await cloud.resources()).map(({ state }) => state)).toEqual(['present'])
  })

  test('a key whose text is none: invalid_credentials', async () => {
    const private_key = `-----BEGIN PRIVATE KEY-----\n${randomBytes(64).toString('base64')}\n-----END PRIVATE KEY-----\n`
    const serviceAccountKey = JSON.stringify({ ...JSON.parse(key()), private_key })
    const cloud = await connectedCloud(harness, body({ credentials: { serviceAccountKey } }))
    const shown = await cloud.becomes('invalid_credentials')
    expect(shown).toMatchObject({ statusReason: expect.stringMatching(/private key/) })
    expect(await cloud.first()).toMatchObject({ state: 'failed', gone: 0 })
  })

  test('a provider of another pool, and a refused subject: the reason says which', async () => {
    const credentials = {
      workloadIdentityProvider:
        'projects/1/locations/global/workloadIdentityPools/pool/providers/name',
    }
    for (const [error, reason] of [
      ['invalid_target', /workload identity provider/],
      ['unauthorized_client', /attribute condition/],
    ] as const) {
      google.handlers.exchange = (request) => {
        const token = new URLSearchParams(request.body).get('subject_token')
        harness.secrets.note('a token of the issuer', token)
        return tokenRefusal(error, 'refused', request)
      }
      const cloud = await connectedCloud(harness, body({ credentials }))
      const shown = await cloud.becomes('invalid_credentials')
      expect(shown).toMatchObject({ statusReason: expect.stringMatching(reason) })
    }
  })

  test('a deleted project: invalid_credentials, and nothing is gone', async () => {
    const cloud = await well()
    const deleted = () => googleRefusal(404, 'NOT_FOUND')
    Object.assign(google.handlers, { test: deleted, search: deleted })
    expect(await cloud.sync()).toMatchObject({ state: 'failed', gone: 0 })
    expect(await cloud.account()).toMatchObject({
      status: 'invalid_credentials',
      statusReason: expect.stringMatching(/whether it was deleted/),
    })
  })

  test('throttled, half a page and a reset, then a token that repeats', async () => {
    const answers = [
      googleRefusal(429, 'RESOURCE_EXHAUSTED'),
      { ...results(asset('a')), cutAt: 20 },
    ]
    google.handlers.search = () => answers.shift() ?? results(asset('a'), asset('b'))
    const cloud = await connectedCloud(harness, body())
    expect(await cloud.first()).toMatchObject({ state: 'succeeded', seen: 2 })
    google.handlers.search = () => ({ body: { results: [], nextPageToken: 'again' } })
    expect(await cloud.sync()).toMatchObject({
      state: 'failed',
      gone: 0,
      places: [{ state: 'failed', reason: expect.stringContaining('page token') }],
    })
  })

  test('an id of 2,000 characters and 50 labels, and values that are none', async () => {
    const name = long('//storage.googleapis.com/')
    const labels = { ...many, 'nul\0': 'half \u{D800}', n: 1 }
    google.handlers.search = () =>
      results({ ...asset('a'), name, labels }, { name: 7 }, { ...asset('c'), labels: [] })
    const cloud = await connectedCloud(harness, body())
    expect(await cloud.first()).toMatchObject({ state: 'succeeded', seen: 2 })
    const one = (await cloud.resources()).find(({ cloudId }) => cloudId === name)
    expect(one?.tags).toEqual({ ...many, 'nul\u{FFFD}': 'half \u{FFFD}', n: '' })
  })
})
