import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { learnPrices } from '../../../app/finops/learn-prices.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { rulesOfWorkspace } from '../../../store/infrastructure/rules-of-workspace.ts'
import { duePriceLearnings } from '../../../store/platform/due-price-learnings.ts'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources } from '../../harness/finops/held-resources.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'
import type { TestUser } from '../../harness/test-user.ts'

const vm = 'arn:aws:ec2:eu-west-1:1:instance/i-1'
const s3 = 'arn:aws:s3:::bucket'

describe('prices of the bill', () => {
  let harness: Harness
  let made: Awaited<ReturnType<typeof ownedWorkspace>>
  let bills: ReturnType<typeof testBills>
  let sourceId: number
  let sre: TestUser
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    made = await ownedWorkspace(harness)
    bills = testBills(harness.deps.store, made.org.id)
    sourceId = await bills.source()
    sre = await made.org.user('SRE · Cloud Admin')
    const { id: workspaceId } = made.workspace
    const at = { organizationId: made.org.id, workspaceId, day: '2026-03-01' }
    await holdResources(harness.deps.store, at, [
      { cloudId: vm },
      { cloudId: s3, type: 'aws_s3_bucket', attributes: {} },
    ])
    await load(2.4)
  })

  async function load(cost: number): Promise<void> {
    const charges = Array.from({ length: 31 }, (_, at) => at).flatMap((at) => {
      const of = { day: dayAfter('2026-03-01', at), region_id: 'eu-west-1' }
      return [
        { ...of, resource_id: vm, effective_cost: String(cost) },
        { ...of, resource_id: s3, effective_cost: String(at + 1) },
      ]
    })
    const { id } = await bills.reading(sourceId, charges)
    await swapSlice(harness.deps.store, { organizationId: made.org.id, sliceId: id })
  }
  const learn = async () => learnPrices(harness.deps.store, made.org.id)
  const list = async () => (await sre.get('/api/finops/prices')).json().prices
  const learned = async () => {
    await learn()
    const [price] = await list()
    return { price, url: `/api/finops/prices/${price.id}` }
  }
  const inForce = async () => {
    const asked = { workspaceId: made.workspace.id, resourceTypes: ['aws_instance'] }
    const rules = await rulesOfWorkspace(harness.deps.store, made.org.id, asked)
    return rules.prices.map(({ monthlyPrice, source, region }) => ({
      monthlyPrice: Number(monthlyPrice),
      source,
      region,
    }))
  }
  const events = async () =>
    harness.deps.store.tenant(made.org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .whereLike('event', 'finops.price%')
        .orderBy('id')
        .pluck('event'),
    )
  const isDue = async () =>
    (await duePriceLearnings(harness.deps.store.platform, 1_000)).some(
      ({ organizationId }) => organizationId === made.org.id,
    )

  test('200: the list shows them, and what has none says why', async () => {
    const { price } = await learned()
    expect(price).toMatchObject({
      source: 'bill',
      monthlyPrice: 73,
      enabled: true,
      learned: {
        sampleSize: 1,
        spread: 0,
        from: '2026-03-02',
        to: '2026-03-30',
        region: 'eu-west-1',
      },
    })
    const viewer = await made.org.user('Viewer')
    const { unpriced, nextCursor } = (await viewer.get('/api/finops/prices/unpriced')).json()
    expect(nextCursor).toBe(null)
    expect(unpriced).toMatchObject([
      { resourceType: 'aws_s3_bucket', because: 'no_stable_price', sampleSize: 1, match: {} },
    ])
    expect(unpriced[0].spread).toBeGreaterThan(0.25)
    expect(await inForce()).toEqual([{ monthlyPrice: 73, source: 'bill', region: 'eu-west-1' }])
  })

  test('once a version of the cost: the same bill changes nothing, a move below 1 % no version', async () => {
    expect(await isDue()).toBe(true)
    const { price } = await learned()
    expect(await isDue()).toBe(false)
    await learn()
    expect(await list()).toEqual([price])
    await load(2.41)
    expect(await isDue()).toBe(true)
    await learn()
    expect(await list()).toEqual([price])
    await load(2.5)
    await learn()
    expect(await list()).toMatchObject([{ id: price.id, version: 2 }])
    expect((await list())[0].monthlyPrice).toBeCloseTo(76.04, 2)
    expect(await events()).toEqual(['finops.prices_learned', 'finops.prices_learned'])
  })

  test('of four workers that learn at once, one does, and prices are there once', async () => {
    await Promise.all([learn(), learn(), learn(), learn()])
    expect(await list()).toHaveLength(1)
    expect(await events()).toEqual(['finops.prices_learned'])
  })

  test('200: a person switches one off, and the next bill leaves it so', async () => {
    const { price, url } = await learned()
    const answer = await sre.patch(url, { enabled: false })
    expect(answer.json().price).toMatchObject({ source: 'bill', enabled: false, version: 2 })
    expect(await inForce()).toEqual([])
    await load(3)
    await learn()
    expect(await list()).toMatchObject([{ id: price.id, enabled: false, source: 'bill' }])
    // Nothing of it is paid any more: what was switched off stays, so that it does not come back switched on.
    await load(0)
    await learn()
    expect(await list()).toMatchObject([{ id: price.id, enabled: false }])
    expect((await sre.patch(url, { enabled: true })).statusCode).toBe(200)
    expect(await inForce()).toHaveLength(1)
    expect(await events()).toContain('finops.price_updated')
  })

  test('200: a price that a person changes is theirs, and the next bill writes its own beside it', async () => {
    const { price, url } = await learned()
    const { price: taken } = (await sre.patch(url, { monthlyPrice: 50 })).json()
    expect(taken).toMatchObject({ id: price.id, source: 'manual', monthlyPrice: 50 })
    expect(taken.learned).toBe(undefined)
    await load(3)
    await learn()
    expect(await list()).toMatchObject([
      { id: price.id, source: 'manual', monthlyPrice: 50 },
      { source: 'bill', monthlyPrice: 91.25 },
    ])
  })

  test('200: sending one back as it was changes nothing', async () => {
    const { price, url } = await learned()
    const { provider, resourceType, match, monthlyPrice, currency, validFrom, source } = price
    const same = { provider, resourceType, match, monthlyPrice, currency, validFrom, source }
    expect((await sre.patch(url, same)).json().price).toEqual(price)
  })

  test('400: the source of learned prices is not a person’s to give', async () => {
    const own = {
      provider: 'aws',
      resourceType: 'aws_instance',
      monthlyPrice: 1,
      currency: 'USD',
    }
    expect((await sre.post('/api/finops/prices', { ...own, source: 'bill' })).json().code).toBe(
      'validation_failed',
    )
    const { price } = (await sre.post('/api/finops/prices', own)).json()
    const answer = await sre.patch(`/api/finops/prices/${price.id}`, { source: 'bill' })
    expect(answer.statusCode).toBe(400)
  })

  test('403, 404: not for a Deployer, and not of another organization', async () => {
    const { url } = await learned()
    const deployer = await made.org.user('Deployer')
    expect((await deployer.patch(url, { enabled: false })).statusCode).toBe(403)
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.patch(url, { enabled: false })).statusCode).toBe(404)
    expect((await stranger.get('/api/finops/prices/unpriced')).json().unpriced).toEqual([])
  })

  test('200: without learning none judges a plan, and it is a change of guards', async () => {
    await learned()
    const limited = await made.org.workspace({ fields: { costLimitMonthly: 100 } })
    const answer = await made.owner.patch('/api/org/settings', { learnPrices: false })
    expect(answer.json()).toMatchObject({ ok: true, learnPrices: false })
    expect(await inForce()).toEqual([])
    await load(3)
    expect(await isDue()).toBe(false)
    const noted = await harness.deps.store.tenant(made.org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_authorship')
        .where({ workspaceId: limited.id, what: 'learnPrices' }),
    )
    expect(noted).toHaveLength(1)
  })
})
