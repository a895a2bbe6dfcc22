import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { commitmentWorld } from './commitment-world.ts'

// Rows as each cloud writes them in its FOCUS export, at the grain of a day.
const day = '2026-03-04'

const plan: TestCharge = {
  day,
  provider: 'aws',
  provider_name: 'AWS',
  service_name: 'Savings Plans for AWS Compute usage',
  commitment_discount_id: 'arn:aws:savingsplans::123456789012:savingsplan/f0e1',
  commitment_discount_type: 'Compute Savings Plans',
  commitment_discount_category: 'Spend',
}
const aws: TestCharge[] = [
  {
    ...plan,
    service_name: 'Amazon Elastic Compute Cloud',
    resource_id: 'i-1',
    billed_cost: '0',
    effective_cost: '14.4',
    list_cost: '24',
    contracted_cost: '22.8',
    commitment_discount_status: 'Used',
  },
  {
    ...plan,
    billed_cost: '0',
    effective_cost: '4.8',
    list_cost: '4.8',
    contracted_cost: '4.8',
    commitment_discount_status: 'Unused',
  },
  {
    ...plan,
    charge_category: 'Purchase',
    charge_frequency: 'Recurring',
    billed_cost: '19.2',
    effective_cost: '0',
    list_cost: '19.2',
    contracted_cost: '19.2',
  },
]

const reservation: TestCharge = {
  day,
  provider: 'azure',
  provider_name: 'Microsoft',
  service_name: 'Virtual Machines',
  commitment_discount_id: '/providers/microsoft.capacity/reservationorders/0001/reservations/0002',
  commitment_discount_name: 'VM_RI_03-01-2026',
  commitment_discount_type: 'Reservation',
  commitment_discount_category: 'Usage',
}
/** Of an agreement without prices: list and contracted cost of what a reservation covers are 0. */
const azure: TestCharge[] = [
  {
    ...reservation,
    billed_cost: '0',
    effective_cost: '9.6',
    list_cost: '0',
    contracted_cost: '0',
    commitment_discount_status: 'Used',
  },
  {
    ...reservation,
    billed_cost: '0',
    effective_cost: '0.4',
    list_cost: '0',
    contracted_cost: '0',
    commitment_discount_status: 'Unused',
  },
  {
    ...reservation,
    charge_category: 'Purchase',
    charge_frequency: 'One-Time',
    billed_cost: '3650',
    effective_cost: '0',
    list_cost: '3650',
    contracted_cost: '3650',
  },
]

const committedUse: TestCharge = {
  day,
  provider: 'gcp',
  provider_name: 'Google Cloud',
  service_name: 'Compute Engine',
  commitment_discount_id: '769c55ea-c50f-4258-bcf5-04b6688fa5fa',
  commitment_discount_name: 'Committed Usage: CPU',
  commitment_discount_type: 'Spend-based',
  commitment_discount_category: 'Spend',
}
/** Without a status, and a purchase that carries its cost. */
const google: TestCharge[] = [
  {
    ...committedUse,
    billed_cost: '12',
    effective_cost: '12',
    list_cost: '20',
    contracted_cost: '18',
    commitment_discount_status: null,
  },
  {
    ...committedUse,
    service_name: 'Commitment v1: CPU',
    charge_category: 'Purchase',
    billed_cost: '15',
    effective_cost: '15',
    list_cost: '15',
    contracted_cost: '15',
  },
]

describe('commitments as each cloud writes them', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('200: AWS: used and unused, the recurring fee is not added, and the negotiated price counts', async () => {
    const { load, list } = await commitmentWorld(harness)
    await load(aws)
    expect((await list()).commitments).toMatchObject([
      {
        provider: 'aws',
        name: null,
        type: 'Compute Savings Plans',
        amortised: 19.2,
        used: 14.4,
        unused: 4.8,
        utilization: 0.75,
        savings: 3.6,
      },
    ])
  })

  test('200: Azure: the purchase of a year is not a cost of its day, and savings are not known', async () => {
    const { load, list } = await commitmentWorld(harness)
    await load(azure)
    expect((await list()).commitments).toMatchObject([
      {
        provider: 'azure',
        name: 'VM_RI_03-01-2026',
        amortised: 10,
        used: 9.6,
        unused: 0.4,
        utilization: 0.96,
        savings: null,
      },
    ])
  })

  test('200: Google: what has no status is used, and the fee is not added', async () => {
    const { load, list } = await commitmentWorld(harness)
    await load(google)
    expect((await list()).commitments).toMatchObject([
      { provider: 'gcp', amortised: 12, used: 12, unused: 0, utilization: 1, savings: 6 },
    ])
  })

  test('200: all three in one list, with a total of what is known', async () => {
    const { load, list } = await commitmentWorld(harness)
    await load(aws)
    await load(azure)
    await load(google)
    const { commitments, total, providers } = await list()
    expect(commitments.map(({ provider }: { provider: string }) => provider)).toEqual([
      'aws',
      'gcp',
      'azure',
    ])
    expect(total).toMatchObject({ amortised: 41.2, unused: 5.2, withoutSavings: 1 })
    expect(total.savings).toBeCloseTo(9.6, 10)
    expect(providers).toEqual(['aws', 'azure', 'gcp'])
  })
})
