import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { fillRecent } from '../../../store/migrations/0141-keep-recent-cost-of-resources.ts'
import { connectedAccount, resourceRows } from '../../harness/clouds/cloud-rows.ts'
import { loadCharges, type TestResourceCharge } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

const bucket = 'arn:aws:s3:::held'
const old = 'arn:aws:s3:::old'
const unbilled = 'arn:aws:s3:::unbilled'

/** The day so many days ago, in UTC. */
const ago = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const cost = (daysAgo: number, effective: string, more: Partial<TestResourceCharge> = {}) => ({
  day: ago(daysAgo),
  effective,
  resourceId: bucket,
  ...more,
})

describe('cost30Days of GET /api/cloud/resources', () => {
  let harness: Harness
  let owner: ReturnType<typeof connectOwner>
  beforeAll(async () => {
    harness = await createHarness()
    owner = connectOwner(harness.config.databaseUrl)
  })
  afterAll(async () => {
    await owner.destroy()
    await harness.close()
  })

  async function organizationWith(charges: TestResourceCharge[]) {
    const org = await harness.organization()
    const db = harness.deps.store.platform
    const accountId = await connectedAccount(harness, org.id)
    await resourceRows(harness, { organizationId: org.id, accountId }, [
      { cloudId: bucket },
      { cloudId: old },
      { cloudId: unbilled },
    ])
    await loadCharges({ owner, db, organizationId: org.id }, charges)
    const viewer = await org.user('Viewer')
    const costs = async () => {
      const answer = await viewer.get('/api/cloud/resources')
      expect(answer.statusCode, answer.body).toBe(200)
      type Resource = { cloudId: string; cost30Days: number | null; currency: string }
      return Object.fromEntries(
        (answer.json().resources as Resource[]).map((of) => [
          of.cloudId,
          [of.cost30Days, of.currency],
        ]),
      )
    }
    return { org, db, viewer, costs }
  }

  const charges = [
    cost(31, '1000'),
    cost(30, '1'),
    // Two charges of one day, in two services, and a credit.
    cost(20, '2'),
    cost(20, '4', { tags: { team: 'a' } }),
    cost(20, '8', { service: 'Transfer' }),
    cost(2, '-0.5'),
    cost(0, '0.000000000001'),
    cost(40, '7', { resourceId: old }),
    cost(1, '64', { resourceId: null }),
  ]

  test('200: the effective cost of the last 30 days and today, over months; nothing billed is 0, no bill is null', async () => {
    const { org, db, viewer, costs } = await organizationWith(charges)
    const expected = {
      [bucket]: [14.500000000001, 'USD'],
      [old]: [0, 'USD'],
      [unbilled]: [null, 'USD'],
    }
    expect(await costs()).toEqual(expected)
    const { id } = (await viewer.get('/api/cloud/resources?q=held')).json().resources[0]
    expect((await viewer.get(`/api/cloud/resources/${id}`)).json().resource.cost30Days).toBe(
      14.500000000001,
    )
    // Another organization with a resource of the same id.
    const other = await organizationWith([cost(3, '9')])
    expect((await other.costs())[bucket]).toEqual([9, 'USD'])
    expect(await costs()).toEqual(expected)
    // A slice that is replaced, and a source that is removed, count no more.
    await db('billing_sources').where({ organizationId: org.id }).update({ removedAt: new Date() })
    expect((await costs())[bucket]).toEqual([null, 'USD'])
  })

  test('200: what was rolled up before the upgrade has the same cost after it', async () => {
    const { org, db, costs } = await organizationWith(charges)
    const before = await costs()
    const at = { organizationId: org.id }
    await db('cost_resources').where(at).update({ recentDays: null, recentEffective: null })
    expect((await costs())[bucket]).toEqual([0, 'USD'])
    await fillRecent(owner)
    expect(await costs()).toEqual(before)
  })

  test('200: at the rate of the bill’s month; without a rate in the bill’s currency, in several none', async () => {
    const euro = { currency: 'EUR' }
    const { org, db, costs } = await organizationWith([
      cost(2, '10', euro),
      cost(2, '5', { ...euro, resourceId: old }),
      cost(2, '1', { resourceId: old }),
    ])
    expect(await costs()).toMatchObject({ [bucket]: [10, 'EUR'], [old]: [null, 'USD'] })
    const month = `${ago(2).slice(0, 7)}-01`
    const rate = { base: 'EUR', quote: 'USD', rate: '1.5', kind: 'person' }
    await db('exchange_rates').insert({ ...rate, organizationId: org.id, month })
    expect(await costs()).toMatchObject({ [bucket]: [15, 'USD'], [old]: [8.5, 'USD'] })
  })
})
