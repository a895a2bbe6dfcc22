import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rebuildDays } from '../../../app/finops/rebuild-days.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { testBills, type TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources } from '../../harness/hold-resources.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'

const id = 'i-0ae9198e3f12fa3e1'
const [one, other] = ['111111111111', '222222222222']
const arn = (account = one, region = 'us-west-2') =>
  `arn:aws:ec2:${region}:${account}:instance/${id}`

describe('whose the cost of a resource is that the bill names by a short id', () => {
  let harness: Harness
  let made: Awaited<ReturnType<typeof ownedWorkspace>>
  let bills: ReturnType<typeof testBills>
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    made = await ownedWorkspace(harness)
    bills = testBills(harness.deps.store, made.org.id)
  })

  const charge = (given: TestCharge = {}): TestCharge => ({
    digest: randomUUID(),
    resource_id: id,
    service_name: 'Amazon Elastic Compute Cloud',
    sub_account_id: one,
    region_id: 'us-west-2',
    ...given,
  })
  const load = async (charges: TestCharge[]) => {
    const { id: sliceId } = await bills.reading(await bills.source(), charges)
    await swapSlice(harness.deps.store, { organizationId: made.org.id, sliceId })
  }
  const holds = async (workspaceId: number, resources: string[], day = '2026-01-01') =>
    holdResources(
      harness.deps.store,
      { organizationId: made.org.id, workspaceId },
      { day, resources },
    )
  const second = async () => (await made.org.workspace({ by: made.owner })).id
  const owners = async () => (await bills.seen()).map(({ workspace_id: owner }) => owner)
  const ask = async (path: string) =>
    (await made.owner.get(`${path}from=2026-03-01&to=2026-03-31`)).json()

  test.each<[string, string, TestCharge]>([
    ['an instance by its id', arn(), {}],
    ['without an account and a region', arn(), { sub_account_id: null, region_id: null }],
    ['an account whose zero was dropped', arn('011111111111'), { sub_account_id: '11111111111' }],
    ['an ARN, where the state has the id alone', id, { resource_id: arn() }],
    ['an ARN with an account, where the state’s has none', arn(''), { resource_id: arn() }],
    [
      'a bucket by its name',
      'arn:aws:s3:::logs-of-one',
      { resource_id: 'logs-of-one', service_name: 'Amazon Simple Storage Service' },
    ],
  ])('the workspace’s: %s', async (_, held, given) => {
    await holds(made.workspace.id, [held])
    await load([charge(given)])
    expect(await owners()).toEqual([made.workspace.id])
    expect((await ask('/api/finops/unmanaged?')).resources).toEqual([])
    expect((await ask(`/api/workspaces/${made.workspace.id}/cost?`)).resources).toMatchObject([
      { cloudId: charge(given)['resource_id'], address: 'a.b', amount: 1 },
    ])
  })

  test.each<[string, string, TestCharge]>([
    ['another account’s', arn(), { sub_account_id: other }],
    ['another region’s', arn(), { region_id: 'eu-west-1' }],
    ['an ARN of another account', arn(), { resource_id: arn(other) }],
    ['another provider’s', arn(), { provider: 'oci' }],
    ['a bucket with the id for a name', arn(), { service_name: 'Amazon Simple Storage Service' }],
  ])('nobody’s: %s', async (_, held, given) => {
    await holds(made.workspace.id, [held])
    await load([charge(given)])
    expect(await owners()).toEqual([null])
    expect((await ask('/api/finops/unmanaged?')).total).toBe(1)
    expect((await ask(`/api/workspaces/${made.workspace.id}/cost?`)).resources).toEqual([])
  })

  test('of one id in two accounts each its own, and nobody’s where the bill names no account', async () => {
    const [first, next] = [made.workspace.id, await second()]
    await holds(first, [arn(one)])
    await holds(next, [arn(other)])
    await load([
      charge({ day: '2026-03-01' }),
      charge({ day: '2026-03-02', sub_account_id: other }),
      charge({ day: '2026-03-03', sub_account_id: null }),
    ])
    expect(await owners()).toEqual([first, next, null])
    expect(await ask('/api/finops/unmanaged?')).toMatchObject({ total: 1 })
    expect((await ask(`/api/workspaces/${next}/cost?`)).resources).toMatchObject([{ amount: 1 }])
  })

  test('a second owner in another account makes the days before nobody’s too', async () => {
    const [first, next] = [made.workspace.id, await second()]
    await holds(first, [arn(one)])
    await load([
      charge({ sub_account_id: null }),
      charge({ sub_account_id: null, day: '2026-03-05' }),
    ])
    expect(await owners()).toEqual([first, first])
    await holds(next, [arn(other)], '2026-03-04')
    await rebuildDays(harness.deps.store, { organizationId: made.org.id, workspaceId: next })
    expect(await owners()).toEqual([null, null])
  })

  test('the charges of a bucket in other services are its owner’s, and each is counted once', async () => {
    await holds(made.workspace.id, ['arn:aws:s3:::logs-of-one'])
    const bucket = { resource_id: 'logs-of-one' }
    await load([
      charge({ ...bucket, service_name: 'Amazon Simple Storage Service' }),
      charge({ ...bucket, service_name: 'AWS Data Transfer' }),
      charge({ ...bucket, service_name: 'AWS Data Transfer', region_id: null }),
    ])
    expect(await owners()).toEqual([made.workspace.id, made.workspace.id, made.workspace.id])
  })

  test('what another organization holds under the same name is not asked', async () => {
    const stranger = await ownedWorkspace(harness)
    await holdResources(
      harness.deps.store,
      { organizationId: stranger.org.id, workspaceId: stranger.workspace.id },
      { day: '2026-01-01', resources: [arn()] },
    )
    await load([charge()])
    expect(await owners()).toEqual([null])
    await holds(made.workspace.id, [arn(other)])
    await rebuildDays(harness.deps.store, {
      organizationId: made.org.id,
      workspaceId: made.workspace.id,
    })
    expect(await owners()).toEqual([null])
  })
})
