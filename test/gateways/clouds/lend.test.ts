import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Cloud, CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { openCloud } from '../../../gateways/clouds/open-cloud.ts'
import { cloudDeps, cloudTarget } from '../../harness/clouds/cloud-target.ts'
import {
  type ScriptedAws,
  scriptedAccount,
  session,
  startScriptedAws,
  xml,
  xmlRefusal,
} from '../../harness/clouds/scripted-aws.ts'
import {
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
} from '../../harness/clouds/scripted-google.ts'

const asked = { phase: 'plan', name: 'run-7-plan' } as const
let opened: Cloud[] = []
afterEach(() => {
  for (const cloud of opened) cloud.close()
  opened = []
})

const openAt = async (
  { url, port }: { url: string; port: number },
  account: Parameters<typeof cloudTarget>[1],
) => {
  const cloud = await openCloud(cloudTarget(url, account), cloudDeps([port]))
  opened.push(cloud)
  return cloud
}
const ofRuns = async (cloud: Cloud) =>
  (await cloud.validate()).checks.find(({ part }) => part === 'runs')

describe('what AWS lends to a run', () => {
  let aws: ScriptedAws
  beforeAll(async () => {
    aws = await startScriptedAws()
  })
  afterEach(() => aws.reset())
  afterAll(async () => aws.cloud.stop())
  const keys = { accessKeyId: 'AKIAACCOUNT', secretAccessKey: 'the-secret-of-the-account' }
  const open = async (more: Partial<CloudTarget>) =>
    openAt(aws.cloud, {
      provider: 'aws',
      accountId: scriptedAccount,
      credentials: keys,
      ...more,
    })
  const sent = (operation: string) =>
    aws.cloud.asked
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
      .filter((form) => form['Action'] === operation)

  test('keys lend a session of an hour that may not call IAM, and never themselves', async () => {
    const cloud = await open({ runs: { plan: 'account' } })
    const lent = await cloud.lend(asked)
    expect(lent).toMatchObject({
      kind: 'aws',
      accessKeyId: 'ASIAFEDERATED',
      secretAccessKey: 'federated-secret',
      sessionToken: 'federated-token',
    })
    const [form] = sent('GetFederationToken')
    expect(form).toMatchObject({ DurationSeconds: '3600', Name: 'run-7-plan' })
    expect(JSON.parse(form?.['Policy'] ?? '').Statement).toContainEqual({
      Effect: 'Deny',
      Action: 'iam:*',
      Resource: '*',
    })
    expect(await cloud.lend({ ...asked, phase: 'apply' })).toBeUndefined()
  })

  test('a role is assumed by a token of the run and its phase, under the name of the run', async () => {
    aws.handlers['AssumeRoleWithWebIdentity'] = ({ WebIdentityToken }) =>
      xml(
        'AssumeRoleWithWebIdentity',
        `<Credentials>${session(WebIdentityToken?.split('.')[0] ?? '')}</Credentials>`,
      )
    const roleOf = (name: string) => ({ roleArn: `arn:aws:iam::${scriptedAccount}:role/${name}` })
    const federated = { credentials: roleOf('own') }
    const cloud = await open({
      ...federated,
      runs: { plan: roleOf('reads'), apply: roleOf('writes') },
    })
    expect(await cloud.lend(asked)).toMatchObject({ accessKeyId: 'ASIAPLAN' })
    expect(await cloud.lend({ phase: 'apply', name: 'run-7-apply' })).toMatchObject({
      accessKeyId: 'ASIAAPPLY',
    })
    expect(sent('AssumeRoleWithWebIdentity')).toMatchObject([
      { RoleArn: roleOf('reads').roleArn, RoleSessionName: 'run-7-plan' },
      { RoleArn: roleOf('writes').roleArn, RoleSessionName: 'run-7-apply' },
    ])
    // The account's own role keeps the subject that its trust policy names.
    const own = await open({ ...federated, runs: { plan: 'account' } })
    expect(await own.lend(asked)).toMatchObject({ accessKeyId: 'ASIATOKEN' })
    // Keys whose user may not assume it, by a trust of the issuer.
    aws.handlers['AssumeRole'] = () => xmlRefusal('AccessDenied', 'not authorized')
    const byKeys = await open({ runs: { plan: roleOf('reads') } })
    expect(await byKeys.lend(asked)).toMatchObject({ accessKeyId: 'ASIAPLAN' })
  })

  test('a role that refuses is missing its trust, with the phase in the reason', async () => {
    aws.handlers['AssumeRoleWithWebIdentity'] = ({ RoleArn }) =>
      RoleArn?.endsWith('/own')
        ? xml('AssumeRoleWithWebIdentity', `<Credentials>${session('own')}</Credentials>`)
        : xmlRefusal('AccessDenied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity')
    const roleArn = `arn:aws:iam::${scriptedAccount}:role/reads`
    const own = { roleArn: `arn:aws:iam::${scriptedAccount}:role/own` }
    const cloud = await open({ credentials: own, runs: { apply: { roleArn } } })
    expect(await ofRuns(cloud)).toEqual({
      part: 'runs',
      state: 'missing',
      reason: expect.stringMatching(/^In the apply: .*the apply of a run's workspace\.$/),
      missing: ['sts:AssumeRoleWithWebIdentity'],
    })
  })
})

describe('whose credentials AWS lends', () => {
  let aws: ScriptedAws
  beforeAll(async () => {
    aws = await startScriptedAws()
  })
  afterEach(() => aws.reset())
  afterAll(async () => aws.cloud.stop())
  const keys = { accessKeyId: 'AKIAACCOUNT', secretAccessKey: 'the-secret-of-the-account' }
  const role = { roleArn: `arn:aws:iam::${scriptedAccount}:role/read` }

  test.each([
    ['keys', keys, 'GetFederationToken'],
    ['a role', role, 'AssumeRoleWithWebIdentity'],
  ])('%s of another account are not lent before a validation knew them', async (...row) => {
    const [, credentials, operation] = row
    const cloud = await openAt(aws.cloud, {
      provider: 'aws',
      accountId: '999999999999',
      credentials,
      runs: { plan: 'account' },
    })
    await expect(cloud.lend(asked)).rejects.toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining(scriptedAccount),
    })
    aws.reset()
    expect(await cloud.lend({ ...asked, isOwnerKnown: true })).toMatchObject({ kind: 'aws' })
    expect(aws.calls.filter((call) => call.startsWith('GetCallerIdentity'))).toEqual([])
    expect(aws.calls.some((call) => call.startsWith(operation))).toBe(true)
  })
})

describe('what Azure lends to a run', () => {
  let azure: ScriptedAzure
  beforeAll(async () => {
    azure = await startScriptedAzure()
  })
  afterEach(() => azure.reset())
  afterAll(async () => azure.cloud.stop())
  const clientId = '0b1f6471-1bf0-4dda-aec3-cb9272f09591'
  const other = { clientId: '0b1f6471-1bf0-4dda-aec3-cb9272f09592' }
  const open = async (runs: CloudTarget['runs'], clientSecret?: string) =>
    openAt(azure.cloud, {
      provider: 'azure',
      accountId: subscription,
      credentials: { tenantId: tenant, clientId, ...(clientSecret && { clientSecret }) },
      runs,
    })

  test('a token of the run, or the account’s own, for ten minutes', async () => {
    const cloud = await open({ plan: other, apply: 'account' })
    const lent = await cloud.lend(asked)
    const audience = 'token.for.api://AzureADTokenExchange'
    expect(lent).toMatchObject({ kind: 'azure', assertion: `plan.${audience}` })
    expect((lent?.expiresAt.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(600_000)
    expect(await cloud.lend({ ...asked, phase: 'apply' })).toMatchObject({ assertion: audience })
  })

  test('validation signs in as the run does, also where the account has a secret', async () => {
    const cloud = await open({ plan: other }, 'the-client-secret')
    expect(await ofRuns(cloud)).toMatchObject({ state: 'ok' })
    const forms = azure.cloud.asked
      .filter(({ path }) => path.endsWith('/token'))
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
    expect(forms.find((form) => form['client_id'] === other.clientId)).toMatchObject({
      client_assertion: 'plan.token.for.api://AzureADTokenExchange',
    })
    azure.handlers.token = (request) =>
      request.body.includes(other.clientId)
        ? signInRefusal(700213, request)
        : { body: { token_type: 'Bearer', expires_in: 3_599, access_token: 'the-access-token' } }
    const refused = await open({ plan: other }, 'the-client-secret')
    expect(await ofRuns(refused)).toMatchObject({
      state: 'missing',
      reason: expect.stringMatching(/^In the plan: .*federated credential/),
    })
  })
})

describe('what Google lends to a run', () => {
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
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  })
  const workloadIdentityProvider =
    'projects/42/locations/global/workloadIdentityPools/pool/providers/cloud-control'
  const serviceAccountEmail = 'plans@project-42.iam.gserviceaccount.com'
  const open = async (credentials: CloudTarget['credentials'], runs: CloudTarget['runs']) =>
    openAt(google.cloud, { provider: 'gcp', accountId: 'project-42', credentials, runs })
  const at = (path: string) => google.cloud.asked.filter((one) => one.path.includes(path))

  test('a key lends an access token, never itself; for another account that it may be, too', async () => {
    const own = await (await open({ serviceAccountKey }, { plan: 'account' })).lend(asked)
    expect(own).toMatchObject({ kind: 'gcp', accessToken: 'the-access-token' })
    expect((own?.expiresAt.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(3_600_000)
    const other = await open({ serviceAccountKey }, { plan: { serviceAccountEmail } })
    expect(await other.lend(asked)).toMatchObject({ accessToken: 'the-impersonated-token' })
    expect(at(':generateAccessToken')[0]?.headers.authorization).toBe('Bearer the-access-token')
    expect(at(':generateAccessToken')[0]?.path).toContain(encodeURIComponent(serviceAccountEmail))
  })

  test('a service account is taken on by a token of the run', async () => {
    const cloud = await open({ workloadIdentityProvider }, { plan: { serviceAccountEmail } })
    expect(await cloud.lend(asked)).toMatchObject({ accessToken: 'the-impersonated-token' })
    const form = new URLSearchParams(at('/v1/token')[0]?.body)
    const audience = `//iam.googleapis.com/${workloadIdentityProvider}`
    expect(form.get('subject_token')).toBe(`plan.token.for.${audience}`)
    expect(await ofRuns(cloud)).toMatchObject({ state: 'ok' })
    google.handlers.impersonate = () =>
      googleRefusal(403, 'PERMISSION_DENIED', {
        message: "Permission 'iam.serviceAccounts.getAccessToken' denied on resource",
      })
    expect(await ofRuns(cloud)).toMatchObject({
      state: 'missing',
      missing: ['iam.serviceAccounts.getAccessToken'],
    })
  })
})
