import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { testBadAnswers } from '../../harness/clouds/bad-answers.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  googleRefusal,
  type ScriptedGoogle,
  startScriptedGoogle,
  tokenRefusal,
} from '../../harness/clouds/scripted-google.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const key = (more: object = {}) => ({
  serviceAccountKey: JSON.stringify({
    type: 'service_account',
    client_email: 'reader@project-42.iam.gserviceaccount.com',
    private_key: pem,
    token_uri: 'http://169.254.169.254/steals-the-token',
    ...more,
  }),
})
const provider = 'projects/42/locations/global/workloadIdentityPools/pool/providers/cloud-control'
const whole: Place = { region: '', service: '', state: 'ok', reason: null }
const searchRight = 'cloudasset.assets.searchAllResources'

describe('a Google account', () => {
  let google: ScriptedGoogle
  beforeAll(async () => {
    google = await startScriptedGoogle()
    // What the operator's machine may hold for itself.
    const names = ['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'GCE_METADATA_HOST']
    for (const name of [...names, 'GOOGLE_CLOUD_QUOTA_PROJECT', 'GOOGLE_CLOUD_UNIVERSE_DOMAIN'])
      vi.stubEnv(name, 'poisoned')
    for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) vi.stubEnv(name, 'http://127.0.0.1:9')
  })
  afterEach(() => google.reset())
  afterAll(async () => {
    vi.unstubAllEnvs()
    await google.cloud.stop()
  })
  const openAt = openedClouds({ provider: 'gcp', accountId: 'project-42', credentials: key() })
  const open = async (more: Partial<CloudTarget> = {}) => openAt(google.cloud, more)
  const asked = (path: string) => google.cloud.asked.filter((one) => one.path.includes(path))

  test("a key: all that is set up is ok; neither the key's own addresses nor this machine take part", async () => {
    const { checks, outcome } = await (await open()).validate()
    expect(outcome).toBe('answered')
    expect(checks.map(({ part, state }) => `${part} ${state}`)).toEqual([
      'identity ok',
      'inventory ok',
      'billing off',
      'runs off',
    ])
    expect(asked('/token')[0]?.body).toContain('assertion=')
    expect(asked(':searchAllResources')[0]?.headers.authorization).toBe('Bearer the-access-token')
    expect(asked(':searchAllResources')[0]?.path).toBe('/v1/projects/project-42:searchAllResources')
    expect(JSON.stringify(google.cloud.asked)).not.toContain('poisoned')
  })

  test('a workload identity: the token of the issuer is exchanged, for a service account where one is named', async () => {
    const cloud = await open({ credentials: { workloadIdentityProvider: provider } })
    expect((await cloud.validate()).outcome).toBe('answered')
    const form = new URLSearchParams(asked('/v1/token')[0]?.body)
    expect(form.get('audience')).toBe(`//iam.googleapis.com/${provider}`)
    expect(form.get('subject_token')).toBe(`token.for.//iam.googleapis.com/${provider}`)
    const bearer = (at: string) => asked(at).at(-1)?.headers.authorization
    expect(bearer(':testIamPermissions')).toBe('Bearer the-federated-token')

    const email = 'reader@project-42.iam.gserviceaccount.com'
    const impersonating = await open({
      credentials: { workloadIdentityProvider: provider, serviceAccountEmail: email },
    })
    expect((await impersonating.validate()).outcome).toBe('answered')
    expect(bearer(':generateAccessToken')).toBe('Bearer the-federated-token')
    expect(bearer(':testIamPermissions')).toBe('Bearer the-impersonated-token')
  })

  test.each([
    ['invalid_grant', 'Invalid JWT Signature.', /does not know the key/],
    ['invalid_grant', 'Invalid JWT Signature: eyJpYXQexpiat', /does not know the key/],
    ['invalid_grant', 'Invalid grant: account not found', /does not know the key/],
    [
      'invalid_grant',
      'Invalid JWT: Token must be a short-lived token and in a reasonable timeframe. Check your iat and exp values',
      /clock/,
    ],
  ])('%s (%s) is rejected with what to do, and repeats no token', async (code, told, reason) => {
    google.handlers.token = (request) => tokenRefusal(code, told, request)
    const cloud = await open()
    const validation = await cloud.validate()
    expect(validation.outcome).toBe('rejected')
    expect(validation.reason).toMatch(reason)
    const fault: unknown = await cloud.resources(whole, null).catch((error: unknown) => error)
    expect(fault).toMatchObject({ kind: 'credentials' })
    expect(fault).not.toHaveProperty('cause')
    expect(`${JSON.stringify(validation)} ${String(fault)}`).not.toContain('assertion')
  })

  test.each([
    ['invalid_target', /no such workload identity provider/],
    ['unauthorized_client', /attribute condition/],
    ['invalid_grant', /issuer/],
  ])('an exchange refused with %s says what to do, and repeats no token', async (code, reason) => {
    google.handlers.exchange = (request) => tokenRefusal(code, 'refused', request)
    const cloud = await open({ credentials: { workloadIdentityProvider: provider } })
    const validation = await cloud.validate()
    expect([validation.outcome, validation.reason]).toEqual([
      'rejected',
      expect.stringMatching(reason),
    ])
    expect(JSON.stringify(validation)).not.toContain('token.for')
  })

  test('a service account that the provider may not be is rejected', async () => {
    google.handlers.impersonate = () =>
      googleRefusal(403, 'PERMISSION_DENIED', {
        message: "Permission 'iam.serviceAccounts.getAccessToken' denied on resource",
      })
    const credentials = { workloadIdentityProvider: provider, serviceAccountEmail: 'a@b.test' }
    const { outcome, reason } = await (await open({ credentials })).validate()
    expect([outcome, reason]).toEqual([
      'rejected',
      expect.stringMatching(/roles\/iam\.workloadIdentityUser/),
    ])
  })

  test.each([
    ['no JSON', { serviceAccountKey: 'not json' }],
    ['no key', key({ private_key: undefined })],
    [
      'a broken key',
      key({ private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' }),
    ],
  ])('a key file with %s is rejected', async (_, credentials) => {
    const { outcome, reason } = await (await open({ credentials })).validate()
    expect(outcome).toBe('rejected')
    expect(reason).toMatch(/key/)
  })

  test('a missing right is told by testIamPermissions, and by the refusal', async () => {
    google.handlers.test = () => ({ body: {} })
    const missing = { state: 'missing', missing: [searchRight] }
    const first = await (await open()).validate()
    expect(first.checks[1]).toMatchObject(missing)
    google.reset()
    google.handlers.search = () =>
      googleRefusal(403, 'PERMISSION_DENIED', {
        message: `The caller does not have permission '${searchRight}'`,
      })
    const second = await (await open()).validate()
    expect(second.outcome).toBe('answered')
    expect(second.checks[1]).toMatchObject(missing)
  })

  test('an API that is not enabled has failed with the reason; a deleted project is rejected', async () => {
    google.handlers.search = () =>
      googleRefusal(403, 'PERMISSION_DENIED', { reason: 'SERVICE_DISABLED' })
    const { checks } = await (await open()).validate()
    expect(checks[1]).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/not enabled/),
    })
    google.handlers.test = () => googleRefusal(404, 'NOT_FOUND')
    const { outcome, reason } = await (await open()).validate()
    expect([outcome, reason]).toEqual(['rejected', expect.stringMatching(/deleted/)])
  })

  test('a perimeter of VPC Service Controls is excluded, not failed', async () => {
    google.handlers.search = () =>
      googleRefusal(403, 'PERMISSION_DENIED', { reason: 'VPC_SERVICE_CONTROLS' })
    await expect((await open()).resources(whole, null)).rejects.toMatchObject({ kind: 'excluded' })
  })

  test('pages of a folder: any Unicode, 2,000 characters, a filter of regions', async () => {
    const long = `//compute.googleapis.com/projects/p/zones/z/instances/${'x'.repeat(1_946)}`
    google.handlers.search = ({ query }) => ({
      body: query.get('pageToken')
        ? {
            results: [
              {
                name: long,
                assetType: 'compute.googleapis.com/Instance',
                location: 'europe-west1-b',
              },
              {},
            ],
          }
        : {
            results: [
              {
                name: '//storage.googleapis.com/größe',
                assetType: 'storage.googleapis.com/Bucket',
                displayName: 'Größe',
                location: 'europe-west1',
                labels: { '': '', '🧮': 'עברית', nul: 'a\0b' },
              },
            ],
            nextPageToken: 'page 2',
          },
    })
    const cloud = await open({
      accountId: 'folders/7',
      regions: ['europe-west1', 'global', 'x) OR y'],
    })
    expect(await cloud.places()).toEqual({ coverage: 'full', places: [whole] })
    const first = await cloud.resources(whole, null)
    expect(first.resources).toEqual([
      {
        cloudId: '//storage.googleapis.com/größe',
        service: 'storage.googleapis.com',
        type: 'storage.googleapis.com/Bucket',
        name: 'Größe',
        region: 'europe-west1',
        tags: { '': '', '🧮': 'עברית', nul: 'a\uFFFDb' },
      },
    ])
    const second = await cloud.resources(whole, first.next)
    expect(second.next).toBeNull()
    expect(second.resources).toMatchObject([{ cloudId: long, name: 'x'.repeat(1_946) }])
    const [sent] = asked('/v1/folders/7:searchAllResources')
    expect(sent?.query.get('query')).toBe('location:(europe-west1 OR global)')
  })

  test('CloudQuery #15780: throttling is waited for, and is no error', async () => {
    let left = 2
    google.handlers.search = () =>
      (left -= 1) >= 0 ? googleRefusal(429, 'RESOURCE_EXHAUSTED') : { body: {} }
    expect((await (await open()).resources(whole, null)).resources).toEqual([])
    expect(left).toBe(-1)
  })

  testBadAnswers({
    open,
    url: () => google.cloud.url,
    list: (answer) => (google.handlers.search = answer),
    page: (token) => ({
      body: token === undefined ? { results: [{ name: '//a/b' }] } : { nextPageToken: token },
    }),
  })

  test.each([
    [
      'bucket',
      { bucket: 'bills', prefix: 'focus/' },
      '/storage/v1/b/bills/o',
      'storage.objects.list',
    ],
    [
      'table',
      { projectId: 'p', dataset: 'd', table: 't' },
      '/bigquery/v2/projects/p/datasets/d/tables/t',
      'bigquery.tables.get',
    ],
  ])(
    'the %s of the bill is asked for, and a missing right named',
    async (_, billing, path, right) => {
      const first = await (await open({ billing })).validate()
      expect(first.checks[2]).toMatchObject({ state: 'ok' })
      expect(asked(path).length).toBe(1)
      google.handlers.bill = () => googleRefusal(403, 'PERMISSION_DENIED')
      const second = await (await open({ billing })).validate()
      expect(second.checks[2]).toMatchObject({ state: 'missing', missing: [right] })
    },
  )
})
