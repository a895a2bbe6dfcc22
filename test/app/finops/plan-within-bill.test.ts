import { afterAll, beforeAll, expect, test } from 'vitest'
import { learnPrices } from '../../../app/finops/learn-prices.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { priceResources } from '../../../domain/finops/price-resources.ts'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import { rulesOfWorkspace } from '../../../store/infrastructure/rules-of-workspace.ts'
import { testBills, type TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources, type TestHeld } from '../../harness/finops/held-resources.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'

/** The organization pays so much of the list. */
const negotiated = 0.77
type Kind = {
  type: string
  attributes: Record<string, string | number>
  listAnHour: number
  /** How many of them a plan adds. */
  added: number
  /** Shares of a day by which the cost of a day may differ. */
  noise: number
}
const regions = { 'eu-west-1': 1.11, 'us-east-1': 1 }
const kinds: Kind[] = [
  {
    type: 'aws_instance',
    attributes: { instance_type: 'm5.large' },
    listAnHour: 0.096,
    added: 12,
    noise: 0.02,
  },
  {
    type: 'aws_instance',
    attributes: { instance_type: 'c6i.4xlarge' },
    listAnHour: 0.68,
    added: 3,
    noise: 0.02,
  },
  {
    type: 'aws_db_instance',
    attributes: { instance_class: 'db.r6g.large', engine: 'postgres', allocated_storage: 100 },
    listAnHour: 0.24,
    added: 2,
    noise: 0.05,
  },
  {
    type: 'aws_ebs_volume',
    attributes: { type: 'gp3', size: 200 },
    listAnHour: 0.0219,
    added: 15,
    noise: 0,
  },
  { type: 'aws_nat_gateway', attributes: {}, listAnHour: 0.045, added: 2, noise: 0.1 },
  {
    type: 'aws_lb',
    attributes: { load_balancer_type: 'application' },
    listAnHour: 0.0225,
    added: 4,
    noise: 0.1,
  },
]

/** The same series each time, from 0 to 1. */
function random(): () => number {
  let seed = 20260301
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
}

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('a plan is within 5 % of the next bill, of a bill with a negotiated discount, and knows what it does not know', async () => {
  const made = await ownedWorkspace(harness)
  const { store } = harness.deps
  const bills = testBills(store, made.org.id)
  const next = random()
  const held: TestHeld[] = []
  const charges: TestCharge[] = []
  const costOfDay = ({ listAnHour, noise }: Kind, factor: number) =>
    listAnHour * 24 * factor * negotiated * (1 + (next() * 2 - 1) * noise)
  const bill = (
    cloudId: string,
    region: string,
    cost: (day: number) => number,
    [first, last] = [0, 30],
  ) => {
    for (let day = first; day <= last; day += 1)
      charges.push({
        day: dayAfter('2026-03-01', day),
        resource_id: cloudId,
        region_id: region,
        effective_cost: cost(day).toFixed(10),
        // What is on the invoice, and what the list says, are other amounts.
        billed_cost: '0',
        list_cost: (cost(day) / negotiated).toFixed(10),
      })
  }
  for (const [region, factor] of Object.entries(regions))
    for (const [at, kind] of kinds.entries())
      for (let n = 0; n < 4; n += 1) {
        const cloudId = `arn:aws:x:${region}:1:${kind.type}/${at}-${n}`
        held.push({
          cloudId,
          address: `${kind.type}.${region}_${at}_${n}`,
          type: kind.type,
          attributes: kind.attributes,
        })
        // The fourth is made in the middle of the month, at some hour of the day.
        const life: [number, number] | undefined = n === 3 ? [12, 30] : undefined
        bill(
          cloudId,
          region,
          (day) => costOfDay(kind, factor) * (day === 12 && n === 3 ? 0.3 : 1),
          life,
        )
        charges.push({
          day: '2026-03-03',
          resource_id: cloudId,
          charge_category: 'Tax',
          effective_cost: '19',
        })
        charges.push({
          day: '2026-03-31',
          resource_id: cloudId,
          charge_category: 'Credit',
          effective_cost: '-40',
        })
      }
  // Paid by use: no price.
  for (let n = 0; n < 3; n += 1) {
    const cloudId = `arn:aws:s3:::bucket-${n}`
    held.push({ cloudId, address: `aws_s3_bucket.b${n}`, type: 'aws_s3_bucket', attributes: {} })
    bill(cloudId, 'eu-west-1', (day) => (n + 1) * (day + 1) * next())
  }
  await holdResources(
    store,
    { organizationId: made.org.id, workspaceId: made.workspace.id, day: '2026-03-01' },
    held,
  )
  const slice = await bills.reading(await bills.source(), charges)
  await swapSlice(store, { organizationId: made.org.id, sliceId: slice.id })
  await learnPrices(store, made.org.id)

  const changes = [
    ...kinds.flatMap((kind, at) =>
      Array.from({ length: kind.added }, (_, n) => ({
        address: `${kind.type}.new_${at}_${n}`,
        actions: ['create'],
        after: kind.attributes,
        unknown: { id: true, arn: true, availability_zone: true, tenancy: true, multi_az: true },
      })),
    ),
    { address: 'aws_s3_bucket.new', actions: ['create'], after: {}, unknown: { id: true } },
    { address: 'aws_instance.other', actions: ['create'], after: { instance_type: 'p5.48xlarge' } },
  ]
  const configuration = {
    root_module: {},
    provider_config: {
      aws: {
        full_name: 'registry.example/hashicorp/aws',
        expressions: { region: { constant_value: 'eu-west-1' } },
      },
    },
  }
  const resourceTypes = [...new Set([...kinds.map(({ type }) => type), 'aws_s3_bucket'])]
  const rules = await rulesOfWorkspace(store, made.org.id, {
    workspaceId: made.workspace.id,
    resourceTypes,
  })
  const priced = priceResources(testPlan(changes, { configuration }), rules.prices, {
    currency: 'USD',
    at: new Date('2026-04-01T10:00:00Z'),
  })

  // What a month of 30 days of them is billed.
  const billed = kinds.reduce(
    (sum, kind) =>
      sum +
      Array.from({ length: kind.added * 30 }, () => costOfDay(kind, regions['eu-west-1'])).reduce(
        (a, b) => a + b,
        0,
      ),
    0,
  )
  expect(priced.coverage.ratio).toBeGreaterThanOrEqual(0.9)
  expect(Math.abs(Number(priced.delta) / billed - 1)).toBeLessThan(0.05)
  const unknown = priced.resources.filter((resource) => resource.priced === 'none')
  expect(unknown.map(({ address }) => address)).toEqual(['aws_s3_bucket.new', 'aws_instance.other'])
})
