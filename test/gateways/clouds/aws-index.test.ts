import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Coverage, Place } from '../../../domain/clouds/cloud-account.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  refusal,
  regionOf,
  type ScriptedAws,
  scriptedAccount,
  startScriptedAws,
} from '../../harness/clouds/scripted-aws.ts'

const credentials = { accessKeyId: 'AKIAACCOUNT', secretAccessKey: 'the-secret-of-the-account' }
const place = (region: string, coverage: Coverage): Place => ({
  region,
  service: '',
  state: 'ok',
  reason: null,
  coverage,
})

describe('an index of Resource Explorer', () => {
  let aws: ScriptedAws
  beforeAll(async () => {
    aws = await startScriptedAws()
  })
  beforeEach(() => indexes('LOCAL'))
  afterEach(() => aws.reset())
  afterAll(async () => aws.cloud.stop())

  const openAt = openedClouds({ provider: 'aws', accountId: scriptedAccount, credentials })
  const open = async () => openAt(aws.cloud)
  const indexes = (type: 'LOCAL' | 'AGGREGATOR') => {
    const Indexes = [
      { Region: 'eu-west-1', Type: type, Arn: 'arn:x' },
      { Region: 'us-east-1', Type: 'LOCAL', Arn: 'arn:y' },
    ]
    aws.handlers['ListIndexes'] = () => ({ body: { Indexes } })
  }
  /** The state of each region's index. */
  const states = (of: Record<string, string | undefined>) => {
    aws.handlers['GetIndex'] = (_, request) => ({ body: { State: of[regionOf(request)] } })
  }
  const coverages = async () => {
    const { places } = await (await open()).places()
    return Object.fromEntries(places.map(({ region, coverage }) => [region, coverage]))
  }
  const asked = (operation: string) => aws.calls.filter((call) => call.startsWith(operation))

  test.each(['CREATING', 'UPDATING', 'DELETING', 'DELETED', 'NEW_STATE', undefined])(
    '%s: it lists a part, and the rest would count as gone, so the tags are listed',
    async (state) => {
      states({ 'eu-west-1': 'ACTIVE', 'us-east-1': state })
      expect(await coverages()).toMatchObject({ 'eu-west-1': 'full', 'us-east-1': 'tagged_only' })
    },
  )

  test('an aggregator that is being filled lists no region in full', async () => {
    indexes('AGGREGATOR')
    states({ 'eu-west-1': 'UPDATING', 'us-east-1': 'ACTIVE' })
    expect(await coverages()).toMatchObject({
      'eu-west-1': 'tagged_only',
      'us-east-1': 'tagged_only',
    })
  })

  test('a region whose own index is being filled is not whole in the aggregator', async () => {
    indexes('AGGREGATOR')
    states({ 'eu-west-1': 'ACTIVE', 'us-east-1': 'CREATING' })
    expect(await coverages()).toMatchObject({ 'eu-west-1': 'full', 'us-east-1': 'tagged_only' })
  })

  test.each<[string, number]>([
    ['AccessDeniedException', 403],
    ['UnrecognizedClientException', 403],
  ])('%s of a region alone: the aggregator, which answers, lists it', async (code, status) => {
    indexes('AGGREGATOR')
    aws.handlers['GetIndex'] = (_, request) =>
      regionOf(request) === 'eu-west-1'
        ? { body: { State: 'ACTIVE' } }
        : refusal(code, 'no', status)
    expect(await coverages()).toMatchObject({ 'us-east-1': 'full' })
  })

  test('one that was deleted since is not listed by the aggregator either', async () => {
    indexes('AGGREGATOR')
    aws.handlers['GetIndex'] = (_, request) =>
      regionOf(request) === 'eu-west-1'
        ? { body: { State: 'ACTIVE' } }
        : refusal('ResourceNotFoundException', 'no', 404)
    expect(await coverages()).toMatchObject({ 'us-east-1': 'tagged_only' })
  })

  test.each([
    ['AccessDeniedException', 403],
    ['ResourceNotFoundException', 404],
    ['NotImplemented', 404],
  ])('%s: its state is not known, so the tags are listed', async (code, status) => {
    aws.handlers['GetIndex'] = () => refusal(code, 'no', status)
    expect(await coverages()).toMatchObject({ 'eu-west-1': 'tagged_only' })
  })

  test('an outage of it is no reason to list less', async () => {
    // Both regions wait for this one call: no other is still repeated when the test ends.
    indexes('AGGREGATOR')
    aws.handlers['GetIndex'] = () => refusal('InternalServerException', 'down', 500)
    await expect((await open()).places()).rejects.toMatchObject({ kind: 'unreachable' })
  })

  test('a validation names the right that is missing; one that is being filled is no fault', async () => {
    aws.handlers['GetIndex'] = () => refusal('AccessDeniedException', 'no', 403)
    expect((await (await open()).validate()).checks[1]).toMatchObject({
      state: 'missing',
      missing: ['resource-explorer-2:GetIndex'],
    })
    states({})
    expect((await (await open()).validate()).checks[1]).toMatchObject({ state: 'ok' })
  })

  test('its state is asked for once a region, and not with each page', async () => {
    indexes('AGGREGATOR')
    aws.handlers['ListResources'] = (input) => ({
      body: { Resources: [], NextToken: `${input['NextToken'] ?? ''}x` },
    })
    const cloud = await open()
    await cloud.places()
    let cursor: string | null = null
    for (let page = 0; page < 5; page += 1)
      cursor = (await cloud.resources(place('us-east-1', 'full'), cursor)).next
    expect(asked('GetIndex').toSorted()).toEqual(['GetIndex eu-west-1', 'GetIndex us-east-1'])
  })

  describe('whose default view', () => {
    const ViewArn = `arn:aws:resource-explorer-2:eu-west-1:${scriptedAccount}:view/all-of-us/7c1d`
    const view = (fields: object, arn = ViewArn) => {
      aws.handlers['ListResources'] = () => ({ body: { Resources: [], ViewArn: arn } })
      aws.handlers['GetView'] = () => ({ body: { View: { ViewArn: arn, ...fields } } })
    }
    const inventory = async () => (await (await open()).validate()).checks[1]

    test.each<[string, object]>([
      ['has no properties', {}],
      ['has another one', { IncludedProperties: [{ Name: 'other' }] }],
    ])(
      '%s: all would count as untagged, so the tags are listed and the check says why',
      async (_, fields) => {
        view(fields)
        expect(await coverages()).toMatchObject({
          'eu-west-1': 'tagged_only',
          'us-east-1': 'tagged_only',
        })
        expect(await inventory()).toEqual({
          part: 'inventory',
          state: 'ok',
          reason: expect.stringMatching(/all-of-us of Resource Explorer in eu-west-1 .*tags/),
          missing: [],
        })
      },
    )

    test('has a filter: the check says so, without a text that is no name', async () => {
      const IncludedProperties = [{ Name: 'tags' }]
      const Filters = { FilterString: 'tag:team' }
      view(
        { Filters, IncludedProperties },
        'arn:aws:resource-explorer-2:eu-west-1:1:view/<b>secret</b>/x',
      )
      const { reason } = (await inventory()) ?? {}
      expect(reason).toMatch(/default view of Resource Explorer in eu-west-1 has a filter/)
      expect(reason).not.toContain('secret')
    })

    test('includes the tags and has no filter: it lists in full, and there is nothing to say', async () => {
      view({ Filters: { FilterString: '' }, IncludedProperties: [{ Name: 'tags' }] })
      expect(await coverages()).toMatchObject({ 'eu-west-1': 'full', 'us-east-1': 'full' })
      expect(await inventory()).toMatchObject({ state: 'ok', reason: null })
    })
  })

  describe('that goes away before the first page', () => {
    test.each<[string, () => void]>([
      ['the index', () => (aws.handlers['ListIndexes'] = () => ({ body: { Indexes: [] } }))],
      ['its state', () => states({})],
      [
        'the right',
        () => (aws.handlers['ListIndexes'] = () => refusal('AccessDeniedException', 'no', 403)),
      ],
      [
        'the view',
        () => (aws.handlers['ListResources'] = () => refusal('UnauthorizedException', 'no', 401)),
      ],
      [
        'the tags of the view',
        () => {
          aws.handlers['ListResources'] = () => ({ body: { Resources: [], ViewArn: 'arn:view' } })
          aws.handlers['GetView'] = () => ({ body: { View: { IncludedProperties: [] } } })
        },
      ],
    ])('%s: the tags are not listed in its place', async (_, take) => {
      expect(await coverages()).toMatchObject({ 'us-east-1': 'full' })
      take()
      await expect(
        (await open()).resources(place('us-east-1', 'full'), null),
      ).rejects.toMatchObject({
        kind: 'changed',
        message: expect.stringContaining('no longer lists us-east-1'),
      })
      expect(asked('GetResources')).toEqual([])
    })

    test('a place that was noted as listed by its tags is listed so, also where it has an index by now', async () => {
      await (await open()).resources(place('us-east-1', 'tagged_only'), null)
      expect(aws.calls).toEqual(['GetResources us-east-1'])
    })
  })
})
