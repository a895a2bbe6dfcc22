import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

const path = '/api/cloud/accounts/setup'
const azureId = '8d65815f-a5b6-402f-9298-045155da7d74'
const cases: Array<[string, string]> = [
  ['aws', '123456789012'],
  ['azure', azureId],
  ['azure', 'managementGroups/platform'],
  ['gcp', 'billing-export-42'],
  ['gcp', 'folders/42'],
  ['gcp', 'organizations/42'],
]

describe(path, () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness({ env: { CC_OIDC_ISSUER: 'https://id.example.com/cc/' } })
  })
  afterAll(async () => harness.close())

  test.each(cases)('200: %s %s by federation', async (provider, accountId) => {
    const org = await harness.organization()
    const user = await org.user('SRE · Cloud Admin')
    const answer = await user.get(`${path}?provider=${provider}&accountId=${accountId}`)
    expect(answer.statusCode, answer.body).toBe(200)
    const setup = answer.json()
    const subject = `organization:${org.slug}:account:${accountId}`
    expect(setup.issuer).toMatch(/^https:\/\/id\.example\.com\/cc\/oidc\/[0-9a-f-]{36}$/)
    const ofRuns = ['plan', 'apply'].map(
      (phase) => `organization:${org.slug}:workspace:*:phase:${phase}`,
    )
    expect(setup.subjects).toEqual([subject, ...ofRuns])
    const start = ofRuns[0]?.split('*')[0]
    expect(setup.commands).toContain(start)
    for (const phase of ['plan', 'apply']) expect(setup.commands).toContain(`:phase:${phase}`)
    for (const text of [setup.trustPolicy, setup.commands, setup.opentofu])
      expect(text).toContain(subject)
    for (const text of [setup.commands, setup.opentofu]) expect(text).toContain(setup.issuer)
    expect(JSON.parse(setup.policy)).toBeTruthy()
    expect(JSON.parse(setup.trustPolicy)).toBeTruthy()
    const [discovery, keys] = setup.issuerDocuments
    expect(discovery.url).toBe(`${setup.issuer}/.well-known/openid-configuration`)
    expect(JSON.parse(discovery.content)).toMatchObject({
      issuer: setup.issuer,
      jwks_uri: keys.url,
    })
    expect(JSON.parse(keys.content).keys).toHaveLength(1)
  })

  test.each(cases)('200: %s %s by keys trusts no issuer', async (provider, accountId) => {
    const user = await (await harness.organization()).user('Owner')
    const answer = await user.get(`${path}?provider=${provider}&accountId=${accountId}&use=keys`)
    expect(answer.statusCode, answer.body).toBe(200)
    const setup = answer.json()
    expect([setup.trustPolicy, setup.audience, setup.subjects]).toEqual([null, null, []])
    expect(setup.commands + setup.opentofu).not.toContain(setup.issuer)
  })

  test('200: the external id is the one that the account shows', async () => {
    const user = await (await harness.organization()).user('Owner')
    const setup = (await user.get(`${path}?provider=aws&accountId=123456789012`)).json()
    const made = await user.post('/api/cloud/accounts', {
      provider: 'aws',
      name: 'a',
      accountId: '123456789012',
      externalId: setup.externalId,
      credentials: { roleArn: 'arn:aws:iam::123456789012:role/cloud-control' },
    })
    expect(made.json().account.externalId).toBe(setup.externalId)
  })

  test('400: a role without an AWS identity of the service, other ids, and unknown parameters', async () => {
    const user = await (await harness.organization()).user('Owner')
    const wrong = [
      'provider=aws&accountId=123456789012&use=role',
      'provider=gcp&accountId=billing-export-42&use=role',
      'provider=aws&accountId=1',
      "provider=gcp&accountId=a'%3Brm -rf x",
      'provider=aws',
      'provider=oci&accountId=1',
      'provider=aws&accountId=123456789012&region=x',
    ]
    for (const query of wrong)
      expect((await user.get(`${path}?${query}`)).statusCode, query).toBe(400)
  })

  test('403: a Deployer is refused, and it is audited', async () => {
    const deployer = await (await harness.organization()).user('Deployer')
    expect((await deployer.get(`${path}?provider=aws&accountId=123456789012`)).statusCode).toBe(403)
  })
})

describe('with an AWS identity of the service', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness({ env: { CC_AWS_IDENTITY: 'environment' } })
  })
  afterAll(async () => harness.close())

  test('200: a role is trusted by the organization’s external id', async () => {
    const user = await (await harness.organization()).user('Owner')
    const setup = (await user.get(`${path}?provider=aws&accountId=123456789012&use=role`)).json()
    // Nothing else is asked for where the account is assumed so.
    const usual = (await user.get(`${path}?provider=aws&accountId=123456789012`)).json()
    expect(usual.trustPolicy).toBe(setup.trustPolicy)
    expect(JSON.parse(setup.trustPolicy).Statement[0]).toMatchObject({
      Action: 'sts:AssumeRole',
      Condition: { StringEquals: { 'sts:ExternalId': setup.externalId } },
    })
  })
})
