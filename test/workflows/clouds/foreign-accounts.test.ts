import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectedCloud } from '../../harness/clouds/connected-cloud.ts'
import {
  azureRefusal,
  type ScriptedAzure,
  startScriptedAzure,
  subscription,
  tenant,
} from '../../harness/clouds/scripted-azure.ts'
import {
  googleRefusal,
  type ScriptedGoogle,
  startScriptedGoogle,
} from '../../harness/clouds/scripted-google.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

// Accounts in which the credentials have no role: a sync must not make of them what a validation did not.
let harness: Harness
let azure: ScriptedAzure
let google: ScriptedGoogle
beforeAll(async () => {
  ;[azure, google] = await Promise.all([startScriptedAzure(), startScriptedGoogle()])
  const open = [azure.cloud.port, google.cloud.port].map((port) => `cloud=127.0.0.1:${port}`)
  harness = await createHarness({ worker: true, env: { CC_PRIVATE_HOSTS: open.join(',') } })
})
afterAll(async () => {
  await harness?.close()
  await Promise.all([azure?.cloud.stop(), google?.cloud.stop()])
})

const azureBody = () => ({
  provider: 'azure',
  name: 'Of others',
  accountId: subscription,
  credentials: {
    tenantId: tenant,
    clientId: crypto.randomUUID(),
    clientSecret: randomBytes(24).toString('base64url'),
  },
  endpoint: azure.cloud.url,
})
const googleBody = () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const serviceAccountKey = JSON.stringify({
    type: 'service_account',
    client_email: 'reader@project-42.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  })
  return {
    provider: 'gcp',
    name: 'Of others',
    accountId: `p-${randomBytes(6).toString('hex')}`,
    credentials: { serviceAccountKey },
    endpoint: google.cloud.url,
  }
}

test.each([
  ['an Azure subscription', azureBody, /no role in/],
  ['a Google project', googleBody, /nothing of/],
])('%s: invalid_credentials, also after a sync', { timeout: 120_000 }, async (_, body, reason) => {
  const noRole = () => azureRefusal(403, 'AuthorizationFailed')
  Object.assign(azure.handlers, { subscription: noRole, permissions: noRole })
  google.handlers.search = () => googleRefusal(403, 'PERMISSION_DENIED')
  google.handlers.test = () => ({ body: {} })
  const cloud = await connectedCloud(harness, body())
  const said = expect.stringMatching(reason)
  expect(await cloud.first()).toMatchObject({ state: 'failed', reason: said })
  const shown = { status: 'invalid_credentials', statusReason: said }
  expect(await cloud.becomes('invalid_credentials')).toMatchObject(shown)
  expect(await cloud.sync()).toMatchObject({ state: 'failed', reason: said, gone: 0 })
  expect(await cloud.account()).toMatchObject(shown)
})
