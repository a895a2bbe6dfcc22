import { afterAll, beforeAll, expect, test } from 'vitest'
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
afterAll(async () => {
  await harness?.close()
  await azure?.cloud.stop()
})

const connected = async () => {
  const org = await harness.organization()
  const user = await org.user('SRE · Cloud Admin')
  const body = azureAccount({
    endpoint: azure.cloud.url,
    billing: { storageAccount: 'bills', container: 'exports', directory: 'focus' },
  })
  const made = await user.post('/api/cloud/accounts', body)
  expect(made.statusCode, made.body).toBe(201)
  const url = `/api/cloud/accounts/${made.json().account.id}`
  const validations = async () =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('audit_entries').where({ event: 'cloud.account_validated' }),
    )
  return { validate: async () => user.post(`${url}/validate`), validations }
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
