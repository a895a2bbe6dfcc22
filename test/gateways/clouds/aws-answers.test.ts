import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { CloudDeps, CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  refusal,
  regionOf,
  type ScriptedAws,
  scriptedAccount,
  startScriptedAws,
  xmlRefusal,
} from '../../harness/clouds/scripted-aws.ts'

const keys = { accessKeyId: 'AKIAACCOUNT', secretAccessKey: 'the-secret-of-the-account' }
const place = (region: string): Place => ({ region, service: '', state: 'ok', reason: null })
const mapping = (ResourceARN: string, tags: Record<string, string> = {}) => ({
  ResourceARN,
  Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
})
const scp =
  'User: arn:aws:iam::123456789012:user/u is not authorized to perform: tag:GetResources with an explicit deny in a service control policy'

describe('what AWS may answer', () => {
  let aws: ScriptedAws
  beforeAll(async () => {
    aws = await startScriptedAws()
  })
  afterEach(() => aws.reset())
  afterAll(async () => aws.cloud.stop())

  const openAt = openedClouds({
    provider: 'aws',
    accountId: scriptedAccount,
    credentials: keys,
  })
  const open = async (more: Partial<CloudTarget> = {}, deps: Partial<CloudDeps> = {}) =>
    openAt(aws.cloud, more, deps)

  describe('Resource Explorer', () => {
    const indexes = (...of: Array<[string, 'LOCAL' | 'AGGREGATOR']>) => ({
      body: { Indexes: of.map(([Region, Type]) => ({ Region, Type, Arn: 'arn:x' })) },
    })
    test('an aggregator index lists every region that has one: coverage is full', async () => {
      aws.handlers['ListIndexes'] = () =>
        indexes(['eu-west-1', 'AGGREGATOR'], ['us-east-1', 'LOCAL'])
      aws.handlers['ListResources'] = (input) => ({
        body: {
          Resources: [
            {
              Arn: 'arn:aws:ec2:us-east-1:123456789012:instance/i-1',
              OwningAccountId: scriptedAccount,
              Region: 'us-east-1',
              ResourceType: 'ec2:instance',
              Service: 'ec2',
              Properties: [{ Name: 'tags', Data: [{ Key: 'Name', Value: 'web' }] }],
            },
            { Arn: 'arn:aws:s3:::of-another', OwningAccountId: '210987654321' },
          ],
          ...(input['NextToken'] ? {} : { NextToken: 'page 2' }),
        },
      })
      const cloud = await open()
      expect(await cloud.places()).toMatchObject({ coverage: 'full' })
      const first = await cloud.resources(place('us-east-1'), null)
      expect(first.resources).toEqual([
        {
          cloudId: 'arn:aws:ec2:us-east-1:123456789012:instance/i-1',
          service: 'ec2',
          type: 'ec2:instance',
          name: 'web',
          region: 'us-east-1',
          tags: { Name: 'web' },
        },
      ])
      const second = await cloud.resources(place('us-east-1'), first.next)
      expect(second.next).toBeNull()
      const asked = aws.cloud.asked.filter(({ path }) => path === '/ListResources')
      expect(asked.map(regionOf)).toEqual(Array.from(asked, () => 'eu-west-1'))
      expect(asked.at(-1)?.body).toContain('region:us-east-1,global')
      expect(aws.calls.filter((call) => call.startsWith('GetResources'))).toEqual([])
    })

    test('a region without an index is listed by its tags: coverage is tagged_only', async () => {
      aws.handlers['ListIndexes'] = () => indexes(['eu-west-1', 'AGGREGATOR'])
      const cloud = await open()
      const { coverage, places } = await cloud.places()
      expect(coverage).toBe('tagged_only')
      expect(places.map((one) => [one.region, one.coverage])).toEqual([
        ['us-east-1', 'tagged_only'],
        ['eu-west-1', 'full'],
        ['af-south-1', undefined],
      ])
      await cloud.resources(place('us-east-1'), null)
      expect(aws.calls.at(-1)).toBe('GetResources us-east-1')
    })

    test('without the right to it, or a view, the tags are listed', async () => {
      aws.handlers['ListIndexes'] = () => refusal('AccessDeniedException', 'no', 403)
      const first = await open()
      expect((await first.places()).coverage).toBe('tagged_only')
      aws.handlers['ListIndexes'] = () => indexes(['eu-west-1', 'LOCAL'], ['us-east-1', 'LOCAL'])
      aws.handlers['ListResources'] = () => refusal('UnauthorizedException', 'no view', 401)
      const second = await open()
      expect((await second.places()).coverage).toBe('tagged_only')
    })

    test('a right to it that is missing is named; a view that is missing is none', async () => {
      aws.handlers['ListIndexes'] = () => indexes(['eu-west-1', 'AGGREGATOR'])
      aws.handlers['ListResources'] = () => refusal('AccessDeniedException', 'no', 403)
      const missing = await (await open()).validate()
      expect(missing.checks[1]).toMatchObject({
        state: 'missing',
        missing: ['resource-explorer-2:ListResources'],
      })
      aws.handlers['ListResources'] = () => refusal('UnauthorizedException', 'no view', 401)
      expect((await (await open()).validate()).checks[1]).toMatchObject({ state: 'ok' })
    })

    test('a default view with a filter leaves resources out: the tags are listed', async () => {
      const IncludedProperties = [{ Name: 'tags' }]
      const view = (FilterString: string) => ({
        body: { View: { Filters: { FilterString }, IncludedProperties } },
      })
      aws.handlers['ListIndexes'] = () => indexes(['eu-west-1', 'LOCAL'], ['us-east-1', 'LOCAL'])
      aws.handlers['ListResources'] = () => ({ body: { Resources: [], ViewArn: 'arn:view' } })
      aws.handlers['GetView'] = ({ ViewArn }) => view(ViewArn === 'arn:view' ? 'tag:team' : '')
      const filtered = await open()
      expect((await filtered.places()).coverage).toBe('tagged_only')
      expect((await filtered.validate()).checks[1]).toMatchObject({ state: 'ok' })
      aws.handlers['GetView'] = () => view('')
      expect((await (await open()).places()).coverage).toBe('full')
      // Whether it has a filter is not known then.
      aws.handlers['GetView'] = () => refusal('AccessDeniedException', 'no', 403)
      const unknown = await open()
      expect((await unknown.places()).coverage).toBe('tagged_only')
      expect((await unknown.validate()).checks[1]).toMatchObject({
        state: 'missing',
        missing: ['resource-explorer-2:GetView'],
      })
    })

    test('an outage of it is no reason to list less: the untagged would count as gone', async () => {
      aws.handlers['ListIndexes'] = () => refusal('InternalServerException', 'down', 500)
      const cloud = await open()
      await expect(cloud.places()).rejects.toMatchObject({ kind: 'unreachable' })
    })
  })

  test('region lists: one that is switched off is named, and so is one of a list that is none', async () => {
    const states = async (regions: string[] | null) =>
      (await (await open({ regions })).places()).places.map(({ region, state }) => [region, state])
    expect(await states(null)).toEqual([
      ['us-east-1', 'ok'],
      ['eu-west-1', 'ok'],
      ['af-south-1', 'excluded'],
    ])
    expect(await states(['af-south-1', 'eu-nowhere-1'])).toEqual([
      ['af-south-1', 'excluded'],
      ['eu-nowhere-1', 'failed'],
    ])
    // Without the right to ask, the list of the account is taken as it is.
    aws.handlers['DescribeRegions'] = () => xmlRefusal('UnauthorizedOperation', 'no')
    expect(await states(['eu-west-1'])).toEqual([['eu-west-1', 'ok']])
    await expect(states(null)).rejects.toMatchObject({
      kind: 'denied',
      missing: ['ec2:DescribeRegions'],
    })
  })

  test('CloudQuery #15780: throttling is waited for, and is no error', async () => {
    let left = 3
    aws.handlers['GetResources'] = () =>
      (left -= 1) >= 0
        ? refusal('ThrottlingException', 'Rate exceeded')
        : { body: { ResourceTagMappingList: [mapping('arn:aws:sqs:us-east-1:1:q')] } }
    const { resources } = await (await open()).resources(place('us-east-1'), null)
    expect(resources).toMatchObject([{ service: 'sqs', type: 'sqs:queue', name: 'q' }])
    expect(left).toBe(-1)
  })

  test('half a page and a reset: the page is asked for again and comes whole', async () => {
    let cuts = 1
    aws.handlers['GetResources'] = () => ({
      body: { ResourceTagMappingList: [mapping('arn:aws:sns:us-east-1:1:t')] },
      ...((cuts -= 1) >= 0 && { cutAt: 20 }),
    })
    const { resources } = await (await open()).resources(place('us-east-1'), null)
    expect(resources).toMatchObject([{ type: 'sns:topic' }])
  })

  test('a page token that repeats ends the walk; a page that is asked for twice does not', async () => {
    const tokens: Record<string, string> = { '': 'a', a: 'b', b: 'a' }
    aws.handlers['GetResources'] = ({ PaginationToken = '' }) => ({
      body: { ResourceTagMappingList: [], PaginationToken: tokens[PaginationToken] },
    })
    const cloud = await open()
    const at = place('us-east-1')
    const first = await cloud.resources(at, null)
    const second = await cloud.resources(at, first.next)
    expect(await cloud.resources(at, first.next)).toEqual(second)
    await expect(cloud.resources(at, second.next)).rejects.toMatchObject({ kind: 'page_token' })
  })

  test('Steampipe #2517, aws-nuke #495: a denial by a service control policy is excluded, not failed', async () => {
    aws.handlers['GetResources'] = () => refusal('AccessDeniedException', scp)
    const cloud = await open()
    await expect(cloud.resources(place('us-east-1'), null)).rejects.toMatchObject({
      kind: 'excluded',
      message: 'A service control policy denies tag:GetResources.',
    })
    const { checks, outcome } = await cloud.validate()
    expect(outcome).toBe('answered')
    expect(checks[1]).toMatchObject({ state: 'ok', missing: [] })
  })

  test('a region that is off knows no keys: it is excluded where the account answers elsewhere', async () => {
    aws.handlers['GetResources'] = () =>
      refusal(
        'UnrecognizedClientException',
        'The security token included in the request is invalid',
      )
    const cloud = await open()
    await expect(cloud.resources(place('ap-east-1'), null)).rejects.toMatchObject({
      kind: 'excluded',
    })
    aws.handlers['GetCallerIdentity'] = () => xmlRefusal('InvalidClientTokenId', 'invalid')
    await expect(cloud.resources(place('ap-east-1'), null)).rejects.toMatchObject({
      kind: 'credentials',
    })
  })

  test('an id of 2,000 characters, 50 tags, empty and of any Unicode: all is kept', async () => {
    const long = `arn:aws:lambda:us-east-1:123456789012:function:${'x'.repeat(1_953)}`
    const many = Object.fromEntries(Array.from({ length: 47 }, (_, at) => [`key-${at}`, '']))
    const tags = { ...many, '‮עברית 🧮': '\u{10FFFF}', __proto__x: '', nul: 'a\0b' }
    aws.handlers['GetResources'] = () => ({
      body: { ResourceTagMappingList: [mapping(long, tags), mapping('not an arn')] },
    })
    const { resources } = await (await open()).resources(place('us-east-1'), null)
    expect(resources[0]?.cloudId.length).toBe(2_000)
    expect(resources[0]?.cloudId).toBe(long)
    expect(resources[0]?.tags).toEqual({ ...tags, nul: 'a\uFFFDb' })
    expect(resources[1]).toMatchObject({ cloudId: 'not an arn', region: 'us-east-1' })
  })

  test('pages of an account go over one connection', async () => {
    aws.handlers['GetResources'] = ({ PaginationToken = '' }) => ({
      body: { ResourceTagMappingList: [], PaginationToken: `${PaginationToken}x` },
    })
    const cloud = await open()
    const before = aws.cloud.connections
    let cursor: string | null = null
    for (let page = 0; page < 10; page += 1)
      cursor = (await cloud.resources(place('us-east-1'), cursor)).next
    expect(aws.cloud.connections - before).toBe(1)
  })

  describe('a role by web identity', () => {
    const role = { roleArn: 'arn:aws:iam::123456789012:role/read' }

    test('is assumed with the token of the issuer, unsigned, and its session signs the rest', async () => {
      const cloud = await open({ credentials: role })
      expect((await cloud.validate()).outcome).toBe('answered')
      const assume = aws.cloud.asked.find(({ body }) => body.includes('AssumeRoleWithWebIdentity'))
      expect(assume?.headers.authorization).toBeUndefined()
      expect(assume?.body).toContain('token.for.sts.amazonaws.com')
      const others = aws.cloud.asked.filter((request) => request !== assume)
      for (const { headers } of others) expect(headers.authorization).toContain('ASIASESSION')
      expect(others.length).toBeGreaterThan(2)
    })

    test.each([
      ['AccessDenied', /trust policy names the organization's issuer/],
      ['InvalidIdentityToken', /identity provider in IAM/],
      ['ExpiredTokenException', /expired/],
      ['ValidationError', /Check its ARN/],
    ])('refused with %s says what to do, and repeats no token', async (code, reason) => {
      aws.handlers['AssumeRoleWithWebIdentity'] = (input) =>
        xmlRefusal(code, `Not you: ${input['WebIdentityToken']}`)
      const cloud = await open({ credentials: role })
      const validation = await cloud.validate()
      expect(validation.outcome).toBe('rejected')
      expect(validation.reason).toMatch(reason)
      expect(JSON.stringify(validation)).not.toContain('token.for')
      const fault = await cloud.places().catch((error: unknown) => error)
      expect(fault).toMatchObject({ kind: 'credentials' })
      expect(fault).not.toHaveProperty('cause')
    })
  })

  test('an expired session of keys is rejected', async () => {
    aws.handlers['GetCallerIdentity'] = () => xmlRefusal('ExpiredToken', 'expired')
    const { outcome, reason } = await (await open()).validate()
    expect([outcome, reason]).toEqual(['rejected', 'The credentials have expired. Replace them.'])
  })
})
