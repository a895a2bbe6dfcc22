import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  noteBilledResources,
  tidyBilledResources,
} from '../../../app/finops/note-billed-resources.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { testBills, type TestCharge } from '../../harness/bills.ts'
import { found } from '../../harness/clouds/listed-cloud.ts'
import { syncSteps } from '../../harness/clouds/sync-steps.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources } from '../../harness/hold-resources.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

const id = 'i-0ae9198e3f12fa3e1'
const account = '111111111111'
const arn = `arn:aws:ec2:us-west-2:${account}:instance/${id}`

describe('resources that only bills know', () => {
  let harness: Harness
  let org: TestOrganization
  let organizationId: number
  let owner: TestUser
  let bills: ReturnType<typeof testBills>
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    org = await harness.organization()
    be(org.id, await org.user('Owner'))
  })
  const be = (of: number, user: TestUser) => {
    organizationId = of
    owner = user
    bills = testBills(harness.deps.store, of)
  }

  const charge = (given: TestCharge = {}): TestCharge => ({
    digest: randomUUID(),
    resource_id: id,
    service_name: 'Amazon Elastic Compute Cloud',
    sub_account_id: account,
    region_id: 'us-west-2',
    ...given,
  })
  const load = async (sourceId: number, charges: TestCharge[], period?: string) => {
    const slice = await bills.reading(sourceId, charges, period)
    const at = { organizationId, sliceId: slice.id }
    expect(await swapSlice(harness.deps.store, at)).toBe('loaded')
    await noteBilledResources(harness.deps.store, at)
    return slice.id
  }
  const tidy = async () => tidyBilledResources(harness.deps.store, organizationId)
  const list = async (query = '', user = owner) =>
    (await user.get(`/api/cloud/resources${query}`)).json().resources

  test('are listed by the id that an inventory has, as known from the bill', async () => {
    await load(await bills.source(), [
      charge({ resource_name: 'web', tags: '{"team": "shop"}' }),
      charge({ resource_name: 'web', day: '2026-03-05', tags: '{"team": "web"}' }),
      charge({ resource_id: 'logs', service_name: 'Amazon Simple Storage Service' }),
      charge({ resource_id: null }),
      charge({ resource_id: 'rack-1', provider: 'data center' }),
    ])
    const found = await list('?state=all')
    expect(found).toHaveLength(2)
    expect(found).toContainEqual({
      id: expect.any(Number),
      accountId: null,
      provider: 'aws',
      cloudId: arn,
      service: 'ec2',
      type: 'ec2:instance',
      name: 'web',
      region: 'us-west-2',
      tags: { team: 'web' },
      state: 'present',
      firstSeenAt: '2026-03-01T00:00:00.000Z',
      lastSeenAt: '2026-03-05T00:00:00.000Z',
      seenIn: ['bill'],
      workspace: null,
      cost30Days: 0,
      currency: 'USD',
    })
    expect(found).toContainEqual(
      expect.objectContaining({ cloudId: 'arn:aws:s3:::logs', type: 's3:bucket', name: 'logs' }),
    )
    for (const query of ['?type=ec2:instance', '?tag=team=web', `?q=${id}`, '?managed=false&q=web'])
      expect(await list(query)).toMatchObject([{ cloudId: arn }])
    expect((await owner.get('/api/cloud/resources/summary')).json().total).toBe(2)
    const { resources } = (
      await owner.get('/api/finops/unmanaged?from=2026-03-01&to=2026-03-31')
    ).json()
    const [machine] = found.filter((one: { cloudId: string }) => one.cloudId === arn)
    expect(resources).toContainEqual(
      expect.objectContaining({
        cloudId: id,
        resourceId: machine.id,
        seenIn: ['bill'],
        importBlock: expect.stringContaining(`id = "${id}"`),
      }),
    )
    expect((await owner.get(`/api/cloud/resources/${machine.id}`)).json().resource).toEqual(machine)
    // Another organization's.
    const stranger = await (await harness.organization()).user('Owner')
    expect(await list('?state=all', stranger)).toEqual([])
    expect((await stranger.get(`/api/cloud/resources/${machine.id}`)).statusCode).toBe(404)
  })

  test('of a charge with more than 1,000 tags, none is kept', async () => {
    const tags = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, ''])))
    await load(await bills.source(), [
      charge({ resource_id: 'vol-0000000000000001', tags: tags(1_000) }),
      charge({ resource_id: 'vol-0000000000000002', tags: tags(1_001) }),
      charge({ resource_id: 'vol-0000000000000003', tags: '{}' }),
    ])
    const counts = (await list()).map(
      ({ cloudId, tags: kept }: { cloudId: string; tags: object }) => [
        cloudId.slice(-1),
        Object.keys(kept).length,
      ],
    )
    expect(Object.fromEntries(counts)).toEqual({ 1: 1_000, 2: 0, 3: 0 })
  })

  test('are the workspace’s that holds them', async () => {
    const workspace = await org.workspace({ by: owner })
    await holdResources(
      harness.deps.store,
      { organizationId, workspaceId: workspace.id },
      { day: '2026-01-01', resources: [arn] },
    )
    await load(await bills.source(), [charge()])
    expect(await list('?managed=true')).toMatchObject([{ workspace: { id: workspace.id } }])
  })

  test('come once, however often and at whatever time they are noted', async () => {
    const sliceId = await load(
      await bills.source(),
      Array.from({ length: 300 }, (_, n) =>
        charge({ resource_id: `vol-${String(n).padStart(17, '0')}` }),
      ),
    )
    const at = { organizationId, sliceId }
    await Promise.all([1, 2, 3].map(async () => noteBilledResources(harness.deps.store, at)))
    await load(await bills.source(), [charge({ resource_id: `vol-${'0'.repeat(17)}` })])
    expect((await owner.get('/api/cloud/resources/summary')).json().total).toBe(300)
  })

  test('go with the bill that names them, and are gone where it ceased to', async () => {
    const sourceId = await bills.source()
    const other = charge({ resource_id: 'vol-0000000000000001', day: '2026-03-31' })
    await load(sourceId, [charge(), other])
    // A restated month without the machine.
    await load(sourceId, [charge({ resource_id: 'i-0ae9198e3f12fa3e2' }), other])
    await tidy()
    expect(await list('?q=fa3e1')).toEqual([])
    expect(await list()).toHaveLength(2)
    await load(
      sourceId,
      [charge({ resource_id: 'vol-0000000000000002', day: '2026-05-08' })],
      '2026-05-01',
    )
    await tidy()
    const states = async () =>
      (await list('?state=all'))
        .map(
          ({ cloudId, state }: { cloudId: string; state: string }) =>
            `${cloudId.slice(-1)} ${state}`,
        )
        .toSorted()
    expect(await states()).toEqual(['1 gone', '2 gone', '2 present'])
    // Its source is removed.
    const { sources } = (await owner.get('/api/finops/sources')).json()
    await owner.delete(`/api/finops/sources/${sources[0].id}`)
    await tidy()
    expect(await states()).toEqual([])
  })

  test('no sync deletes them, and one that finds them lists them as its own', async () => {
    const steps = await syncSteps(harness)
    be(steps.organizationId, steps.owner)
    await load(await bills.source(), [charge({ sub_account_id: null })])
    await load(await bills.source(), [
      charge({ resource_id: 'arn:aws:sqs:us-west-2:1:jobs' }),
      charge({ resource_id: 'arn:aws:sqs:us-west-2:1:mails' }),
    ])
    await harness.deps.store
      .platform('cloud_resources')
      .where({ organizationId })
      .update({ cloudAccountId: steps.accountId })
    const jobs = { ...found('jobs'), cloudId: 'arn:aws:sqs:us-west-2:1:jobs', name: 'jobs' }
    steps.cloud.coverage = 'full'
    steps.cloud.regions = { 'us-west-2': [jobs] }
    await steps.sync()
    await steps.sync()
    await tidy()
    const shown = async () =>
      Object.fromEntries(
        (await list('?state=all')).map((one: { name: string; seenIn: string[]; state: string }) => [
          one.name,
          [...one.seenIn, one.state].join(' '),
        ]),
      )
    expect(await shown()).toEqual({
      [id]: 'bill present',
      mails: 'bill present',
      jobs: 'inventory bill present',
    })
    // What the inventory listed goes as the inventory says, also where bills still have it.
    steps.cloud.regions = { 'us-west-2': [] }
    await steps.sync()
    await tidy()
    expect(Object.values<string>(await shown()).toSorted()).toEqual([
      'bill present',
      'bill present',
      'inventory bill gone',
    ])
  })

  test('stand in the account that the bill names, where that one is connected', async () => {
    const steps = await syncSteps(harness)
    be(steps.organizationId, steps.owner)
    const { accountId } = await harness.deps.store
      .platform('cloud_accounts')
      .where({ id: steps.accountId })
      .first()
    await load(await bills.source(), [charge({ sub_account_id: accountId.replace(/^0+/, '') })])
    expect(await list(`?accountId=${steps.accountId}`)).toMatchObject([{ seenIn: ['bill'] }])
  })
})
