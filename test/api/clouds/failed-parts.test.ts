import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { accountDeps } from '../../../api/clouds/account-deps.ts'
import { endSync } from '../../../app/clouds/end-sync.ts'
import { validateAccount } from '../../../app/clouds/validate-account.ts'
import { cloudSyncs } from '../../../store/clouds/cloud-syncs.ts'
import { syncPlaces } from '../../../store/clouds/sync-places.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { s3Refusal } from '../../harness/clouds/scripted-s3.ts'
import {
  azureRefusal,
  type ScriptedAzure,
  startScriptedAzure,
} from '../../harness/clouds/scripted-azure.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { azureAccount } from './account-bodies.ts'

let harness: Harness
let azure: ScriptedAzure
beforeAll(async () => {
  azure = await startScriptedAzure()
  const { port } = azure.cloud
  const CC_PRIVATE_HOSTS = `cloud=127.0.0.1:${port},billing=127.0.0.1:${port}`
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS } })
})
afterEach(() => azure.reset())
afterAll(async () => {
  await harness?.close()
  await azure?.cloud.stop()
})

const billing = { storageAccount: 'bills', container: 'exports', directory: 'focus' }
const connected = async (more: object = { billing }) => {
  const org = await harness.organization()
  const user = await org.user('SRE · Cloud Admin')
  const body = azureAccount({
    endpoint: azure.cloud.url,
    ...more,
  })
  const made = await user.post('/api/cloud/accounts', body)
  expect(made.statusCode, made.body).toBe(201)
  const url = `/api/cloud/accounts/${made.json().account.id}`
  const validations = async () =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('audit_entries').where({ event: 'cloud.account_validated' }),
    )
  const { id, sync } = made.json().account as { id: number; sync: { id: number } }
  /** The sync that began with the connection ends: it looked, and this is what it could not look at. */
  const endFirst = async () =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const found = await cloudSyncs(tenant).get(id, sync.id)
      const denied = { region: 'westeurope', service: '', state: 'denied', reason: 'No.' } as const
      await syncPlaces(tenant).note(found, { coverage: 'full', places: [denied] })
      await endSync(tenant, { syncId: sync.id, failure: null })
    })
  /** As the worker does. */
  const byItself = async () =>
    validateAccount(accountDeps(harness.deps), { organizationId: org.id, id })
  const shown = async () => {
    const rows = harness.deps.store.platform('cloud_accounts').where({ id })
    const { nextValidationAt } = await rows.first('nextValidationAt')
    const isSoon = nextValidationAt.getTime() < Date.now() + 2 * 60_000
    const { status, statusReason, checks } = (await user.get(url)).json().account
    return { status, statusReason, checks, isSoon }
  }
  const validate = async () => user.post(`${url}/validate`)
  return { user, url, validate, validations, byItself, shown, endFirst }
}

test('200: a part that failed without a refusal is told by the status and the checks', async () => {
  // Storage's form is S3's, as XML; the header has the code (Azure Storage, "Status and error codes").
  azure.handlers.blobs = () => {
    const { headers, ...refusal } = s3Refusal(404, 'ContainerNotFound')
    return { ...refusal, headers: { ...headers, 'x-ms-error-code': 'ContainerNotFound' } }
  }
  const { validate, validations } = await connected()
  const answer = await validate()
  const reason = expect.stringContaining('Check billing.container')
  expect([answer.statusCode, answer.json()], answer.body).toMatchObject([
    200,
    {
      ok: true,
      missing: [],
      account: { status: 'degraded', statusReason: reason },
    },
  ])
  expect(answer.json().account.checks).toMatchObject([
    { part: 'identity', state: 'ok' },
    { part: 'inventory', state: 'ok' },
    { part: 'billing', state: 'failed', reason },
    { part: 'runs', state: 'off' },
  ])
  expect(await validations()).toMatchObject([
    { outcome: 'failure', detail: { status: 'degraded' } },
  ])
})

test('400 cloud_permissions_missing: beside a missing right, what failed is in the details too', async () => {
  azure.handlers.permissions = () => ({ body: { value: [{ actions: ['a/b'], notActions: [] }] } })
  const { validate } = await connected()
  const answer = await validate()
  expect([answer.statusCode, answer.json()], answer.body).toMatchObject([
    400,
    {
      code: 'cloud_permissions_missing',
      missing: ['Microsoft.ResourceGraph/resources/read'],
      details: [{ path: 'inventory' }, { path: 'billing' }],
    },
  ])
})

test('400 cloud_credentials_rejected: a subscription in which the application has no role', async () => {
  const refused = () => azureRefusal(403, 'AuthorizationFailed')
  Object.assign(azure.handlers, { subscription: refused, permissions: refused })
  const { validate } = await connected()
  const answer = await validate()
  expect([answer.statusCode, answer.json()], answer.body).toMatchObject([
    400,
    { code: 'cloud_credentials_rejected', error: expect.stringContaining('no role') },
  ])
})

const throttled = () => ({ status: 429, headers: { 'retry-after': '60' }, body: {} })

test.each(['graph', 'permissions'] as const)(
  'a throttled part (%s) changes nothing, and is asked for again soon; who asks is told: 503',
  async (handler) => {
    const { byItself, shown, validate, validations } = await connected({})
    await byItself()
    const well = await shown()
    expect(well).toMatchObject({ status: 'healthy', isSoon: false })
    azure.handlers[handler] = throttled
    for (let tries = 0; tries < 4; tries += 1) {
      await byItself()
      expect(await shown()).toEqual({ ...well, isSoon: true })
    }
    const answer = await validate()
    expect([answer.statusCode, answer.json()], answer.body).toMatchObject([
      503,
      { code: 'cloud_unreachable', error: expect.stringContaining('limits how often') },
    ])
    expect(await shown()).toEqual({ ...well, isSoon: true })
    expect(await validations()).toMatchObject([{ outcome: 'failure' }])
    azure.reset()
    await byItself()
    expect(await shown()).toEqual(well)
  },
  60_000,
)

test('a throttled identity counts for nothing, however often', async () => {
  const { byItself, shown, validate } = await connected({})
  await byItself()
  const well = await shown()
  azure.handlers.subscription = throttled
  for (let tries = 0; tries < 4; tries += 1) {
    await byItself()
    expect(await shown()).toEqual({ ...well, isSoon: true })
  }
  const answer = await validate()
  expect([answer.statusCode, answer.json()], answer.body).toMatchObject([
    503,
    { code: 'cloud_unreachable', error: expect.stringContaining('limits how often') },
  ])
}, 60_000)

test('a new account whose part is throttled stays pending until the cloud answers', async () => {
  azure.handlers.graph = throttled
  const { byItself, shown } = await connected({})
  await byItself()
  expect(await shown()).toMatchObject({ status: 'pending', checks: [], isSoon: true })
  azure.reset()
  await byItself()
  expect(await shown()).toMatchObject({ status: 'healthy', isSoon: false })
})

test('a part that is slow once changes nothing; at the third time it failed', async () => {
  const { byItself, shown } = await connected({})
  await byItself()
  const well = await shown()
  const usual = azure.cloud.answer
  azure.cloud.answer = async (request) =>
    request.path.includes('ResourceGraph') ? new Promise(() => undefined) : usual(request)
  try {
    for (let tries = 0; tries < 2; tries += 1) {
      await byItself()
      expect(await shown()).toEqual({ ...well, isSoon: true })
    }
    await byItself()
  } finally {
    azure.cloud.answer = usual
  }
  expect(await shown()).toMatchObject({
    status: 'degraded',
    statusReason: expect.stringContaining('did not answer in time'),
    isSoon: false,
  })
}, 120_000)

test('what the first sync could not look at counts, though it ended before the first validation', async () => {
  const { user, url, byItself, shown, endFirst } = await connected({})
  await endFirst()
  expect(await shown()).toMatchObject({ status: 'pending' })
  const degraded = {
    status: 'degraded',
    statusReason: expect.stringContaining('westeurope could not be looked at'),
  }
  for (let tries = 0; tries < 2; tries += 1) {
    await byItself()
    expect(await shown()).toMatchObject(degraded)
  }
  // Of other settings that sync says nothing.
  expect((await user.patch(url, { regions: ['northeurope'] })).statusCode).toBe(200)
  await byItself()
  expect(await shown()).toMatchObject({ status: 'healthy' })
})
