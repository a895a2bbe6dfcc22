import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { connectedAccount, resourceRows } from '../../harness/clouds/cloud-rows.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let viewer: TestUser
let accountId: number
let otherAccount: number
beforeAll(async () => {
  harness = await createHarness()
  const org = await harness.organization()
  viewer = await org.user('Viewer')
  accountId = await connectedAccount(harness, org.id)
  otherAccount = await connectedAccount(harness, org.id, 'gcp')
  await resourceRows(harness, { organizationId: org.id, accountId }, [
    { cloudId: 'arn:aws:s3:::Logs', tags: { env: 'prod', 'a=b': 'c' } },
    { cloudId: 'arn:aws:s3:::images', name: 'images_100%', tags: { env: 'test' } },
    {
      cloudId: 'arn:aws:ec2:us-east-1:1:instance/i-1',
      service: 'ec2',
      type: 'ec2:instance',
      name: 'web',
      region: 'us-east-1',
      tags: { env: 'prod', empty: '' },
    },
    { cloudId: 'arn:aws:s3:::old', state: 'gone', tags: { env: 'prod' } },
  ])
  await resourceRows(
    harness,
    { organizationId: org.id, accountId: otherAccount, provider: 'gcp' },
    [{ cloudId: '//storage.googleapis.com/b', service: 'storage', type: 'Bucket', name: 'b' }],
  )
  const stranger = await harness.organization()
  const foreign = await connectedAccount(harness, stranger.id)
  await resourceRows(harness, { organizationId: stranger.id, accountId: foreign }, [
    { cloudId: 'arn:aws:s3:::theirs', tags: { env: 'prod' } },
  ])
})
afterAll(async () => harness.close())

/** The names that a query finds. */
const found = async (query: string): Promise<string[]> => {
  const answer = await viewer.get(`/api/cloud/resources?${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer
    .json()
    .resources.map(({ cloudId }: { cloudId: string }) => cloudId.split(/[:/]/).at(-1))
    .toSorted()
}

describe('GET /api/cloud/resources', () => {
  test.each([
    ['', ['Logs', 'b', 'i-1', 'images']],
    ['state=all', ['Logs', 'b', 'i-1', 'images', 'old']],
    ['state=gone', ['old']],
    ['provider=gcp', ['b']],
    ['provider=gcp&provider=aws', ['Logs', 'b', 'i-1', 'images']],
    ['service=ec2', ['i-1']],
    ['service=ec2&service=storage', ['b', 'i-1']],
    ['type=s3:bucket', ['Logs', 'images']],
    ['region=us-east-1', ['i-1']],
    ['service=s3&region=us-east-1', []],
    ['tag=env', ['Logs', 'i-1', 'images']],
    ['tag=env=prod', ['Logs', 'i-1']],
    ['tag=env%3Dprod&service=s3&q=LOGS', ['Logs']],
    ['tag=env=prod&tag=env=test', ['Logs', 'i-1', 'images']],
    // A key with `=`, an empty value, and a value alone, which is no tag.
    ['tag=a=b', ['Logs']],
    ['tag=a=b=c', ['Logs']],
    ['tag=empty=', ['i-1']],
    ['tag=prod', []],
    // Any part of name or cloud id, ignoring case; pattern characters stand for themselves.
    ['q=instance', ['i-1']],
    ['q=100%25', ['images']],
    ['q=s_3', []],
    ['q=LOG&q=stance', ['Logs', 'i-1']],
    [`q=')%20or%20true--`, []],
    ['service=x%27%20or%20%271%27=%271', []],
  ])('200: ?%s', async (query, names) => {
    expect(await found(query)).toEqual(names.toSorted())
  })

  test('200: by account', async () => {
    expect(await found(`accountId=${otherAccount}`)).toEqual(['b'])
    expect(await found(`accountId=${otherAccount}&accountId=${accountId}&q=arn`)).toEqual(
      ['Logs', 'i-1', 'images'].toSorted(),
    )
  })

  test('200: with an API token, and all fields', async () => {
    const authorization = `Bearer ${await viewer.token('Viewer')}`
    const answer = await harness.app.inject({
      url: '/api/cloud/resources?q=:Logs',
      headers: { authorization },
    })
    expect(answer.json()).toEqual({
      resources: [
        {
          id: expect.any(Number),
          accountId,
          provider: 'aws',
          cloudId: 'arn:aws:s3:::Logs',
          service: 's3',
          type: 's3:bucket',
          name: 'arn:aws:s3:::Logs',
          region: 'eu-west-1',
          tags: { env: 'prod', 'a=b': 'c' },
          state: 'present',
          firstSeenAt: expect.stringMatching(/Z$/),
          lastSeenAt: expect.stringMatching(/Z$/),
          seenIn: ['inventory'],
          workspace: null,
          cost30Days: null,
          currency: 'USD',
        },
      ],
      nextCursor: null,
    })
    const [{ id }] = answer.json().resources
    const one = await viewer.get(`/api/cloud/resources/${id}`)
    expect(one.json().resource).toEqual(answer.json().resources[0])
  })

  test('200: pages by key hold each resource once', async () => {
    const seen: number[] = []
    let cursor = ''
    do {
      const { resources, nextCursor } = (
        await viewer.get(`/api/cloud/resources?limit=2&state=all${cursor}`)
      ).json()
      seen.push(...resources.map(({ id }: { id: number }) => id))
      cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`
    } while (cursor !== '')
    expect(seen).toHaveLength(5)
    expect(new Set(seen).size).toBe(5)
  })

  test('400: an unknown parameter, a wrong value, a search of two characters', async () => {
    for (const query of ['servcie=s3', 'provider=ibm', 'state=here', 'q=ab', 'accountId=x', 'tag='])
      expect((await viewer.get(`/api/cloud/resources?${query}`)).statusCode, query).toBe(400)
    expect((await viewer.get('/api/cloud/resources/summary?a=1')).statusCode).toBe(400)
  })

  test('400: a search of more than 5 seconds asks for a narrower one', async () => {
    // A statement that waits for a lock runs too.
    await harness.deps.store.platform.transaction(async (trx) => {
      await trx.raw('lock table cloud_resources in access exclusive mode')
      const answer = await viewer.get('/api/cloud/resources?q=anything')
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'search_too_broad'])
      expect(answer.json().error).toContain('Narrow it')
    })
  }, 30_000)

  test('404: an account of another organization in the filter', async () => {
    const stranger = await harness.organization()
    const foreign = await connectedAccount(harness, stranger.id)
    for (const id of [foreign, 2_000_000_000]) {
      const answer = await viewer.get(`/api/cloud/resources?accountId=${id}`)
      expect([answer.statusCode, answer.json()]).toEqual([
        404,
        { error: 'Not found', code: 'not_found' },
      ])
    }
  })
})

test('GET /api/cloud/resources/summary: 200: what is present, by provider, service and region', async () => {
  const answer = await viewer.get('/api/cloud/resources/summary')
  expect(answer.json()).toEqual({
    total: 4,
    byProvider: [
      { value: 'aws', count: 3 },
      { value: 'gcp', count: 1 },
    ],
    byService: [
      { value: 's3', count: 2 },
      { value: 'ec2', count: 1 },
      { value: 'storage', count: 1 },
    ],
    byRegion: [
      { value: 'eu-west-1', count: 3 },
      { value: 'us-east-1', count: 1 },
    ],
    managed: 0,
    unmanaged: 4,
  })
})

describe('resources that workspaces hold', () => {
  test('200: by workspace and managed; of two holders the one that began later is the owner', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const [one, two] = [await org.workspace({ by: owner }), await org.workspace({ by: owner })]
    const account = await connectedAccount(harness, org.id)
    await resourceRows(
      harness,
      { organizationId: org.id, accountId: account },
      ['arn:held', 'arn:both', 'arn:was-held', 'arn:free'].map((cloudId) => ({ cloudId })),
    )
    const held = (workspaceId: number, cloudId: string, heldFrom: string, heldTo?: string) => ({
      organizationId: org.id,
      workspaceId,
      cloudId,
      address: `aws_s3_bucket.${cloudId.slice(4)}`,
      type: 'aws_s3_bucket',
      provider: 'aws',
      attributes: '{}',
      heldFrom,
      heldTo: heldTo ?? null,
    })
    await harness.deps.store
      .platform('workspace_resources')
      .insert([
        held(one.id, 'arn:held', '2026-01-01'),
        held(one.id, 'arn:both', '2026-01-01'),
        held(two.id, 'arn:both', '2026-02-01'),
        held(two.id, 'arn:was-held', '2026-01-01', '2026-02-01'),
      ])
    const names = async (query: string) => {
      const answer = await owner.get(`/api/cloud/resources?${query}`)
      return answer
        .json()
        .resources.map(({ cloudId }: { cloudId: string }) => cloudId.slice(4))
        .toSorted()
    }
    expect(await names('managed=true')).toEqual(['both', 'held'])
    expect(await names('managed=false')).toEqual(['free', 'was-held'])
    expect(await names(`workspaceId=${one.id}`)).toEqual(['held'])
    expect(await names(`workspaceId=${two.id}`)).toEqual(['both'])
    expect(await names(`workspaceId=${one.id}&workspaceId=${two.id}`)).toEqual(['both', 'held'])
    const [shown] = (await owner.get('/api/cloud/resources?q=arn:held')).json().resources
    const { id, name } = one
    expect(shown.workspace).toEqual({ id, name, address: 'aws_s3_bucket.held' })
    const summary = (await owner.get('/api/cloud/resources/summary')).json()
    expect([summary.managed, summary.unmanaged]).toEqual([2, 2])
    const foreign = await viewer.get(`/api/cloud/resources?workspaceId=${one.id}`)
    expect(foreign.statusCode).toBe(404)

    // Behind more rows than are filtered first.
    for (let n = 0; n < 4_000; n += 2_000)
      await resourceRows(
        harness,
        { organizationId: org.id, accountId: account },
        Array.from({ length: 2_000 }, (_, i) => ({ cloudId: `arn:more-${n + i}` })),
      )
    expect(await names(`workspaceId=${two.id}`)).toEqual(['both'])
    expect(await names('managed=true')).toEqual(['both', 'held'])
  })
})

describe('rare matches among many resources', () => {
  // More than the rows that are filtered first, so that the indexes find the matches.
  const many = 12_000

  test('200: every filter finds its one resource, alone and together, page by page', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const account = await connectedAccount(harness, org.id)
    const row = (n: number) => ({ cloudId: `arn:aws:s3:::bucket-${n}`, tags: { n: String(n) } })
    const rare = {
      cloudId: 'arn:aws:ec2:::needle-in-the-hay',
      service: 'ec2',
      type: 'ec2:needle',
      region: 'us-east-1',
      tags: { owner: 'me', 'x=y': 'z' },
    }
    const at = { organizationId: org.id, accountId: account }
    for (let n = 0; n < many; n += 3_000)
      await resourceRows(
        harness,
        at,
        Array.from({ length: 3_000 }, (_, i) => row(n + i)),
      )
    await resourceRows(harness, at, [rare, { ...rare, cloudId: 'arn:gone', state: 'gone' }])
    const filters = [
      'service=ec2',
      'type=ec2:needle',
      'region=us-east-1',
      'tag=owner',
      'tag=owner=me',
      'tag=x=y=z',
      'q=NEEDLE-in',
    ]
    const names = async (query: string) =>
      (await owner.get(`/api/cloud/resources?${query}`))
        .json()
        .resources.map(({ cloudId }: { cloudId: string }) => cloudId)
    for (const filter of filters) expect(await names(filter), filter).toEqual([rare.cloudId])
    expect(await names(filters.join('&'))).toEqual([rare.cloudId])
    expect(await names(`${filters[0]}&q=bucket`)).toEqual([])
    expect(await names('state=gone')).toEqual(['arn:gone'])
    expect(await names('tag=n=77&tag=owner=me')).toHaveLength(2)
    const page = 'service=ec2&state=all&limit=1'
    const { resources, nextCursor } = (await owner.get(`/api/cloud/resources?${page}`)).json()
    const behind = await names(`${page}&cursor=${nextCursor}`)
    expect(new Set([resources[0].cloudId, ...behind])).toEqual(new Set([rare.cloudId, 'arn:gone']))
  }, 60_000)
})
