import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { learnPrices } from '../../../app/finops/learn-prices.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { heldSince, holdResources } from '../../harness/finops/held-resources.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'
import type { TestUser } from '../../harness/test-user.ts'
import type { TestWorkspace } from '../../harness/test-organization.ts'
import { applyState } from '../workspaces/applied-state.ts'
import { lockInfo, stateClient, stateOf } from '../workspaces/state-client.ts'

const vm = (name: string) => `arn:aws:ec2:eu-west-1:1:instance/i-${name}`
/** What a month of a machine that costs so much a day is learned as. */
const month = (day: number) => (day * 365) / 12

const withMachines = (serial: number, sizes: Record<string, string>) =>
  stateOf(serial, {
    resources: Object.entries(sizes).map(([name, size]) => ({
      mode: 'managed',
      type: 'aws_instance',
      name,
      provider: 'provider["registry.opentofu.org/hashicorp/aws"]',
      instances: [{ attributes: { arn: vm(name), id: `i-${name}`, instance_type: size } }],
    })),
  })

describe('sizes that a state makes up', () => {
  let harness: Harness
  let made: Awaited<ReturnType<typeof ownedWorkspace>>
  let deployer: TestUser
  let own: TestWorkspace
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    made = await ownedWorkspace(harness)
    deployer = await made.org.user('Deployer')
    own = await made.org.workspace({ by: deployer })
  })

  /** A machine's cost on each day of March. */
  const bill = async (costs: Record<string, number | ((day: string) => number)>) => {
    const bills = testBills(harness.deps.store, made.org.id)
    const charges = Object.entries(costs).flatMap(([name, cost]) =>
      Array.from({ length: 31 }, (_, at) => dayAfter('2026-03-01', at)).map((day) => ({
        day,
        resource_id: vm(name),
        region_id: 'eu-west-1',
        effective_cost: String(typeof cost === 'number' ? cost : cost(day)),
      })),
    )
    const { id } = await bills.reading(await bills.source(), charges)
    await swapSlice(harness.deps.store, { organizationId: made.org.id, sliceId: id })
  }
  const push = async (user: TestUser, workspace: TestWorkspace, state: unknown) => {
    const client = stateClient(harness.app, workspace, await user.token())
    const info = lockInfo()
    await client.lock(info)
    const answer = await client.write(state, info.ID)
    expect(answer.statusCode, answer.body).toBe(200)
    await client.unlock(info)
  }
  const apply = async (workspace: TestWorkspace, state: unknown) =>
    applyState(harness, { by: made.owner, workspace }, state)
  const asOf = async (day: string) =>
    heldSince(harness.deps.store, { organizationId: made.org.id, day })
  const known = async () => {
    await learnPrices(harness.deps.store, made.org.id)
    const { prices } = (await made.owner.get('/api/finops/prices')).json()
    const { unpriced } = (await made.owner.get('/api/finops/prices/unpriced')).json()
    type Entry = { match: { instance_type: string }; monthlyPrice: string; because: string }
    const bySize = (entries: Entry[], field: 'monthlyPrice' | 'because') =>
      Object.fromEntries(entries.map((entry) => [entry.match.instance_type, entry[field]]))
    return { prices: bySize(prices, 'monthlyPrice'), reasons: bySize(unpriced, 'because') }
  }

  test('cheap machines that a Deployer’s state calls large lower no price and make none', async () => {
    await bill({ large: 240, cheap1: 0.1, cheap2: 0.1, cheap3: 0.1, cheap4: 0.1 })
    await apply(made.workspace, withMachines(1, { large: 'p5.48xlarge' }))
    const forged = { cheap1: 'p5.48xlarge', cheap2: 'p5.48xlarge', cheap3: 'p5.48xlarge' }
    await push(deployer, own, withMachines(1, { ...forged, cheap4: 'p4d.24xlarge' }))
    await asOf('2026-03-01')
    const { prices, reasons } = await known()
    expect(Object.keys(prices)).toEqual(['p5.48xlarge'])
    expect(Number(prices['p5.48xlarge'])).toBe(month(240))
    expect(reasons).toEqual({ 'p4d.24xlarge': 'size_not_confirmed' })
  })

  test('a pushed state counts as soon as an apply has written it, changed or not', async () => {
    await bill({ one: 2.4, two: 2.4 })
    await push(deployer, own, withMachines(1, { one: 'm5.large', two: 'm5.xlarge' }))
    await asOf('2026-03-01')
    expect((await known()).reasons).toEqual({
      'm5.large': 'size_not_confirmed',
      'm5.xlarge': 'size_not_confirmed',
    })
    // The refresh of its plan found another size of the second machine.
    await apply(own, withMachines(2, { one: 'm5.large', two: 'm5.large' }))
    await asOf('2026-03-10')
    await bill({ other: 1 })
    const after = await known()
    expect(Object.keys(after.prices)).toEqual(['m5.large'])
    await apply(own, withMachines(3, { one: 'm5.large', two: 'm5.large' }))
    const rows = await harness.deps.store
      .platform('workspace_resources')
      .where({ workspaceId: own.id, heldTo: null })
    expect(rows.map(({ confirmedFrom }) => confirmedFrom)).toEqual(['2026-03-10', '2026-03-10'])
  })

  test('a state that is the same as the one before is confirmed by its apply too', async () => {
    await bill({ one: 2.4 })
    await push(deployer, own, withMachines(1, { one: 'm5.large' }))
    await apply(own, withMachines(2, { one: 'm5.large' }))
    await asOf('2026-03-01')
    expect(Number((await known()).prices['m5.large'])).toBe(month(2.4))
  })

  test.each([
    ['a person pushed', push],
    [
      'an apply imported',
      async (_: TestUser, at: TestWorkspace, state: unknown) => apply(at, state),
    ],
  ])('the month of a cheap machine that %s is no sample of the size it gets', async (_, write) => {
    await bill({ large: 240, cheap: 0.1 })
    await apply(made.workspace, withMachines(1, { large: 'p5.48xlarge' }))
    await asOf('2026-03-01')
    await write(deployer, own, withMachines(1, { cheap: 't3.nano' }))
    await apply(own, withMachines(2, { cheap: 'p5.48xlarge' }))
    await asOf('2026-03-28')
    const { prices } = await known()
    expect(Number(prices['p5.48xlarge'])).toBe(month(240))
    const [{ learned }] = (await made.owner.get('/api/finops/prices')).json().prices
    expect(learned.sampleSize).toBe(1)
  })

  test('a pushed size counts from the day of the apply on, and not for the days before it', async () => {
    const cost = (day: string) => (day <= '2026-03-15' ? 0.1 : 240)
    await bill({ one: cost })
    await push(deployer, own, withMachines(1, { one: 'p5.48xlarge' }))
    await asOf('2026-03-01')
    await apply(own, withMachines(2, { one: 'p5.48xlarge' }))
    await asOf('2026-03-15')
    expect(Number((await known()).prices['p5.48xlarge'])).toBe(month(240))
    const [{ learned }] = (await made.owner.get('/api/finops/prices')).json().prices
    expect(learned).toMatchObject({ from: '2026-03-16', to: '2026-03-30', sampleSize: 1 })
  })

  test('a restored state is confirmed only by the next apply', async () => {
    await bill({ one: 2.4 })
    await push(deployer, own, withMachines(1, { one: 'p5.48xlarge' }))
    await apply(own, withMachines(2, { one: 't3.nano' }))
    const restored = await made.owner.post(`${own.url}/state/versions/1/restore`)
    expect(restored.statusCode, restored.body).toBe(201)
    await asOf('2026-03-01')
    const { prices } = await known()
    expect(Object.keys(prices)).not.toContain('p5.48xlarge')
  })

  test('a later state that names a confirmed machine does not take its days', async () => {
    const hold = async (workspaceId: number, day: string, size: string, isConfirmed: boolean) =>
      holdResources(
        harness.deps.store,
        { organizationId: made.org.id, workspaceId, day, isConfirmed },
        [{ cloudId: vm('large'), attributes: { instance_type: size } }],
      )
    await hold(made.workspace.id, '2026-03-01', 'p5.48xlarge', true)
    await hold(own.id, '2026-03-03', 't3.nano', false)
    await bill({ large: 240 })
    const { prices } = await known()
    expect(prices).toEqual({ 'p5.48xlarge': expect.anything() })
    const [{ learned }] = (await made.owner.get('/api/finops/prices')).json().prices
    expect(learned).toMatchObject({ from: '2026-03-02', to: '2026-03-30' })
  })
})
