import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connectedCloud } from '../../harness/clouds/connected-cloud.ts'
import { type Keys, type Moto, policyOf, startMoto } from '../../harness/clouds/moto.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hasPython } from '../../peers/python-tools.ts'
import { awsKeys } from '../../api/clouds/account-bodies.ts'

const accountId = '123456789012'
// moto takes the service of the signature for the prefix of the right.
const inventory = ['ec2:DescribeRegions', 'tag:GetResources', 'tagging:GetResources']

// moto checks signatures, policies, and the external id of a trust policy.
describe.skipIf(!hasPython())('credentials that moto refuses', { timeout: 120_000 }, () => {
  let moto: Moto
  let harness: Harness
  let all: Keys
  beforeAll(async () => {
    moto = await startMoto()
    let service: Keys | undefined
    await moto.setUp(async () => {
      all = await moto.user('all', inventory)
      service = await moto.user('service', ['sts:AssumeRole'])
      // moto loads each service at its first call, which takes longer than a validation may.
      await moto.call('ec2', 'DescribeRegions', {})
      await moto.call('sts', 'GetCallerIdentity', { Version: '2011-06-15' })
    })
    vi.stubEnv('AWS_ACCESS_KEY_ID', service?.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', service?.secretAccessKey)
    const env = { CC_PRIVATE_HOSTS: `cloud=127.0.0.1:${moto.port}`, CC_AWS_IDENTITY: 'environment' }
    harness = await createHarness({ worker: true, env })
    harness.secrets.note('the key of the service', service?.secretAccessKey)
    // The first run installs moto.
  }, 600_000)
  afterAll(async () => {
    vi.unstubAllEnvs()
    await harness?.close()
    await moto?.stop()
  })

  const body = (more: Record<string, unknown> = {}) => ({
    provider: 'aws',
    name: 'Bad',
    accountId,
    credentials: all,
    endpoint: moto.url,
    regions: ['us-east-1'],
    ...more,
  })
  const role = (name: string) => ({ roleArn: `arn:aws:iam::${accountId}:role/${name}` })
  const trusting = async (RoleName: string, externalId: string | undefined) => {
    const Principal = { AWS: `arn:aws:iam::${accountId}:user/service` }
    const Condition = externalId && { StringEquals: { 'sts:ExternalId': externalId } }
    const statement = { Effect: 'Allow', Principal, Action: 'sts:AssumeRole', Condition }
    await moto.setUp(async () => {
      await moto.call('iam', 'CreateRole', {
        RoleName,
        AssumeRolePolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
      })
      const PolicyDocument = policyOf(inventory)
      await moto.call('iam', 'PutRolePolicy', { RoleName, PolicyName: 'own', PolicyDocument })
    })
  }

  test.each([
    ['unknown', () => awsKeys(), /does not know the access key/],
    [
      'swapped',
      () => ({ ...all, secretAccessKey: awsKeys().secretAccessKey }),
      /does not belong to the access key/,
    ],
  ])('%s keys: invalid_credentials with the reason, in the sync too', async (_, keys, reason) => {
    const cloud = await connectedCloud(harness, body({ credentials: keys() }))
    const said = expect.stringMatching(reason)
    expect(await cloud.first()).toMatchObject({ state: 'failed', reason: said, places: [] })
    await cloud.becomes('invalid_credentials')
    expect(await cloud.account()).toMatchObject({ statusReason: said })
    expect(await cloud.resources()).toEqual([])
  })

  test('keys that are replaced by wrong ones: what is known stays, and the right ones mend it', async () => {
    const cloud = await connectedCloud(harness, body())
    expect(await cloud.first()).toMatchObject({ state: 'succeeded' })
    await cloud.becomes('healthy')
    await cloud.user.patch(cloud.path, { credentials: awsKeys() })
    await cloud.becomes('invalid_credentials')
    await cloud.user.patch(cloud.path, { credentials: all })
    await cloud.becomes('healthy')
  })

  test('a role that trusts our external id is used', async () => {
    const cloud = await connectedCloud(harness, body({ credentials: role('ours') }))
    const { externalId } = (await cloud.account()) as { externalId: string }
    await trusting('ours', externalId)
    await cloud.validate()
    expect(await cloud.account()).toMatchObject({ status: 'healthy', credentialsKind: 'role' })
    expect(await cloud.sync()).toMatchObject({ state: 'succeeded' })
  })

  test.each([
    ['another external id', 'of-another', /trust policy names this service and the organization/],
    ['every external id', undefined, /trusts every external id/],
  ])('a role that trusts %s: invalid_credentials, and nothing is listed', async (_, id, reason) => {
    const name = `trusts-${String(id)}`
    await trusting(name, id)
    const cloud = await connectedCloud(harness, body({ credentials: role(name) }))
    const said = expect.stringMatching(reason)
    expect(await cloud.first()).toMatchObject({ state: 'failed', reason: said, places: [] })
    await cloud.becomes('invalid_credentials')
    expect(await cloud.account()).toMatchObject({ statusReason: said })
    expect(await cloud.resources()).toEqual([])
    // Nor are the accounts of its organization.
    const members = (await cloud.user.get(`${cloud.path}/members`)).json()
    expect(members).toEqual({ code: 'cloud_credentials_rejected', error: said })
  })
})
