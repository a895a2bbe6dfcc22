import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectedCloud } from '../../harness/clouds/connected-cloud.ts'
import {
  refusal,
  regionOf,
  type ScriptedAws,
  scriptedAccount,
  startScriptedAws,
  xmlRefusal,
} from '../../harness/clouds/scripted-aws.ts'
import { startScriptedCloud, type ScriptedCloud } from '../../harness/clouds/scripted-cloud.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awsKeys } from '../../api/clouds/account-bodies.ts'

// From the request that connects an account to the end of its sync, by the real worker. When the harness
// closes, all that was written is searched for the keys, also Temporal's histories.
describe('an AWS account that answers badly', { timeout: 120_000 }, () => {
  let harness: Harness
  let aws: ScriptedAws
  let elsewhere: ScriptedCloud
  beforeAll(async () => {
    aws = await startScriptedAws()
    elsewhere = await startScriptedCloud()
    const open = [aws.cloud.port, elsewhere.port].map((port) => `cloud=127.0.0.1:${port}`)
    harness = await createHarness({ worker: true, env: { CC_PRIVATE_HOSTS: open.join(',') } })
  })
  afterEach(() => aws.reset())
  afterAll(async () => {
    await harness?.close()
    await aws?.cloud.stop()
    await elsewhere?.stop()
  })

  const body = (more: Record<string, unknown> = {}) => ({
    provider: 'aws',
    name: 'Bad',
    accountId: scriptedAccount,
    credentials: awsKeys(),
    endpoint: aws.cloud.url,
    regions: ['us-east-1', 'eu-west-1'],
    ...more,
  })
  const connect = async (more: Record<string, unknown> = {}) => connectedCloud(harness, body(more))
  const arn = (name: string) => `arn:aws:sqs:us-east-1:${scriptedAccount}:${name}`
  const page = (names: readonly string[], PaginationToken = '') => ({
    body: {
      PaginationToken,
      ResourceTagMappingList: names.map((name) => ({ ResourceARN: arn(name), Tags: [] })),
    },
  })
  /** What the regions list. */
  const lists = (names: Record<string, string[]>) => {
    aws.handlers['GetResources'] = (_, request) => page(names[regionOf(request)] ?? [])
  }

  test('a key that expires: invalid_credentials with the reason, and all stays as last seen', async () => {
    lists({ 'us-east-1': ['a'], 'eu-west-1': ['b'] })
    const cloud = await connect()
    expect(await cloud.first()).toMatchObject({ state: 'succeeded', seen: 2 })
    await cloud.becomes('healthy')
    aws.handlers['GetCallerIdentity'] = () => xmlRefusal('ExpiredToken', 'it expired')
    const expired = 'The credentials have expired. Replace them.'
    expect(await cloud.sync()).toMatchObject({ state: 'failed', reason: expired, gone: 0 })
    expect(await cloud.account()).toMatchObject({
      status: 'invalid_credentials',
      statusReason: expired,
    })
    expect((await cloud.resources()).map(({ state }) => state)).toEqual(['present', 'present'])
    const answer = await cloud.validate()
    expect([answer.statusCode, answer.json()]).toMatchObject([
      400,
      { code: 'cloud_credentials_rejected', error: expired },
    ])
  })

  test('the id of another account: invalid_credentials, and the reason names whose keys they are', async () => {
    lists({ 'us-east-1': ['a'] })
    const cloud = await connect({ accountId: '999999999999' })
    expect(await cloud.first()).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining(`credentials of account ${scriptedAccount}`),
    })
    const shown = await cloud.becomes('invalid_credentials')
    expect(shown).toMatchObject({ statusReason: expect.stringContaining(scriptedAccount) })
    expect(await cloud.resources()).toEqual([])
  })

  test.each(['OptInRequired', 'Blocked', 'PendingVerification'])(
    'a suspended account (%s): the status says so, and nothing is gone',
    async (code) => {
      lists({ 'us-east-1': ['a'] })
      const cloud = await connect()
      await cloud.first()
      await cloud.becomes('healthy')
      aws.handlers['DescribeRegions'] = () => xmlRefusal(code, 'not subscribed')
      aws.handlers['GetResources'] = () => refusal(code, 'not subscribed')
      expect(await cloud.sync()).toMatchObject({ state: 'failed', gone: 0 })
      const statusReason = expect.stringContaining('suspended')
      expect(await cloud.account()).toMatchObject({ status: 'invalid_credentials', statusReason })
      // The keys are known, and what they are for is refused.
      await cloud.validate()
      expect(await cloud.account()).toMatchObject({ status: 'degraded', statusReason })
    },
  )

  test('the first region of the list is off: it is excluded, and the account is healthy', async () => {
    const isOff = (region: string) => region === 'af-south-1'
    for (const [operation, usual] of Object.entries(aws.handlers))
      aws.handlers[operation] = (input, request) =>
        isOff(regionOf(request))
          ? refusal('UnrecognizedClientException', 'The security token is invalid')
          : usual(input, request)
    const cloud = await connect({ regions: ['af-south-1', 'eu-west-1'] })
    expect(await cloud.first()).toMatchObject({
      state: 'succeeded',
      places: [
        { region: 'af-south-1', state: 'excluded', reason: expect.stringContaining('off') },
        { region: 'eu-west-1', state: 'ok' },
      ],
    })
    await cloud.becomes('healthy')
  })

  test('a region that is denied: degraded, also after a validation, until a sync could look', async () => {
    const denied = refusal('AccessDeniedException', 'not authorized to perform: tag:GetResources')
    aws.handlers['GetResources'] = (_, request) =>
      // A validation asks in the first region alone.
      regionOf(request) === 'us-east-1' ? denied : page(['a'])
    const cloud = await connect()
    expect(await cloud.first()).toMatchObject({ state: 'partial', seen: 1 })
    await cloud.validate()
    const reason = expect.stringContaining('us-east-1 could not be looked at')
    const degraded = { status: 'degraded', statusReason: reason }
    expect(await cloud.account()).toMatchObject(degraded)
    await cloud.validate()
    expect(await cloud.account()).toMatchObject(degraded)
    lists({ 'us-east-1': ['a'] })
    await cloud.sync()
    expect(await cloud.account()).toMatchObject({ status: 'healthy', statusReason: null })
  })

  test('half a page and a reset: once is mended; always fails the place, and nothing in it is gone', async () => {
    let cuts = 1
    const cut = (names: string[]) => {
      cuts -= 1
      return { ...page(names), ...(cuts >= 0 && { cutAt: 30 }) }
    }
    aws.handlers['GetResources'] = (_, request) =>
      regionOf(request) === 'eu-west-1' ? cut(['b']) : page(['a'])
    const cloud = await connect()
    expect(await cloud.first()).toMatchObject({ state: 'succeeded', seen: 2 })
    cuts = Infinity
    expect(await cloud.sync()).toMatchObject({
      state: 'partial',
      gone: 0,
      places: [
        {
          region: 'eu-west-1',
          state: 'failed',
          reason: expect.stringContaining('cannot be reached'),
        },
        { region: 'us-east-1', state: 'ok' },
      ],
    })
    expect((await cloud.resources()).every(({ state }) => state === 'present')).toBe(true)
  }, 300_000)

  test('a page token that repeats: the place failed and says so, and nothing in it is gone', async () => {
    lists({ 'us-east-1': ['a'], 'eu-west-1': ['b'] })
    const cloud = await connect()
    await cloud.first()
    aws.handlers['GetResources'] = (_, request) =>
      regionOf(request) === 'us-east-1' ? page([], 'again') : page(['b'])
    expect(await cloud.sync()).toMatchObject({
      state: 'partial',
      gone: 0,
      places: [{ state: 'ok' }, { state: 'failed', reason: expect.stringContaining('page token') }],
    })
    expect((await cloud.resources()).map(({ state }) => state)).toEqual(['present', 'present'])
  })

  test('a page token of the list of indexes that repeats: the sync fails at once and says so', async () => {
    const cloud = await connect()
    await cloud.first()
    await cloud.becomes('healthy')
    aws.handlers['ListIndexes'] = () => ({ body: { Indexes: [], NextToken: 'again' } })
    const reason = expect.stringContaining('page token')
    expect(await cloud.sync()).toMatchObject({ state: 'failed', gone: 0, reason })
    expect(await cloud.account()).toMatchObject({ status: 'degraded', statusReason: reason })
  })

  test('ids of 2,000 characters and 50 tags of any Unicode are kept; half a surrogate and NUL are replaced', async () => {
    const tags = Object.fromEntries(Array.from({ length: 46 }, (_, n) => [`ключ ${n} 🔑`, '']))
    const odd = JSON.stringify({ ...tags, '': 'empty', constructor: 'c', '‮rtl': '\u{10FFFF}' })
    const sent = {
      ...JSON.parse(odd.replace('{', '{"__proto__":"own",')),
      'nul\0': 'half \u{D800}',
    }
    const long = arn('x'.repeat(2_000 - arn('').length))
    aws.handlers['GetResources'] = (_, request) => {
      const Tags = Object.entries(sent).map(([Key, Value]) => ({ Key, Value }))
      const mapping = { ResourceARN: long, Tags }
      const more = { ResourceARN: `${long}x`, Tags }
      return regionOf(request) === 'us-east-1'
        ? { body: { ResourceTagMappingList: [mapping, more, mapping] } }
        : { body: { ResourceTagMappingList: [mapping] } }
    }
    const cloud = await connect()
    expect(await cloud.first()).toMatchObject({ state: 'succeeded', seen: 1, added: 1 })
    const [one, ...others] = await cloud.resources()
    expect(others).toEqual([])
    expect(one?.cloudId).toBe(long)
    const { 'nul\0': _, ...kept } = sent
    // Not by the fields: an own `__proto__` is one of them.
    expect(new Map(Object.entries(one?.tags ?? {}))).toEqual(
      new Map(Object.entries({ ...kept, 'nul\u{FFFD}': 'half \u{FFFD}' })),
    )
    expect(await cloud.sync()).toMatchObject({ seen: 1, added: 0, changed: 0, gone: 0 })
  })

  test('an endpoint that redirects to the metadata address: unreachable with what to do', async () => {
    const location = 'http://169.254.169.254/latest/meta-data/'
    elsewhere.answer = () => ({ status: 307, headers: { location } })
    const cloud = await connect({ endpoint: elsewhere.url })
    const reason = expect.stringContaining('address that is not allowed')
    expect(await cloud.first()).toMatchObject({ state: 'failed', reason })
    for (let tries = 0; tries < 3; tries += 1)
      expect((await cloud.validate()).json()).toMatchObject({ code: 'address_not_allowed' })
    expect(await cloud.account()).toMatchObject({ status: 'unreachable', statusReason: reason })
  })

  test('only the pages redirect there: the places failed and say so', async () => {
    aws.handlers['GetResources'] = () => ({
      status: 307,
      headers: { location: 'http://127.0.0.1:1/' },
    })
    const cloud = await connect({ regions: ['us-east-1'] })
    const reason = expect.stringContaining('address that is not allowed')
    expect(await cloud.first()).toMatchObject({ state: 'failed', places: [{ reason }] })
  })

  test('an endpoint that names 3,000 regions: the sync says so, and lists none', async () => {
    const items = Array.from(
      { length: 3_000 },
      (_, n) => `<item><regionName>us-east-${n}</regionName></item>`,
    )
    aws.handlers['DescribeRegions'] = () => ({
      headers: { 'content-type': 'text/xml' },
      body: `<DescribeRegionsResponse><regionInfo>${items.join('')}</regionInfo></DescribeRegionsResponse>`,
    })
    const cloud = await connect({ regions: null })
    expect(await cloud.first()).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('regions'),
      places: [],
    })
  })

  test('a refused token of the issuer stands in no answer, log or history', async () => {
    aws.handlers['AssumeRoleWithWebIdentity'] = ({ WebIdentityToken = '' }) => {
      harness.secrets.note('a token of the issuer', WebIdentityToken)
      return xmlRefusal('InvalidIdentityToken', `Not you: ${WebIdentityToken}`)
    }
    const credentials = { roleArn: `arn:aws:iam::${scriptedAccount}:role/read` }
    const cloud = await connect({ credentials })
    expect(await cloud.first()).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('identity provider in IAM'),
    })
    await cloud.becomes('invalid_credentials')
    expect(await cloud.account()).toMatchObject({
      statusReason: expect.stringContaining('identity provider in IAM'),
    })
  })
})
