import { randomUUID } from 'node:crypto'
import { swapSlice } from '../../app/finops/swap-slice.ts'
import { testBills, type TestCharge } from './bills.ts'
import type { Harness } from './create-harness.ts'
import type { TestOrganization } from './test-organization.ts'

type Plan = { provider: string; id: string; used: number; unused: number; more?: TestCharge }

const plans: Plan[] = [
  {
    provider: 'aws',
    id: 'arn:aws:savingsplans::123456789012:savingsplan/0b6f3a4e-1c5d-4f7a-9e21-7d2a0c9b8f10',
    used: 14.4,
    unused: 1.6,
    more: {
      provider_name: 'AWS',
      commitment_discount_name: 'Compute, three years',
      commitment_discount_type: 'Compute Savings Plans',
      commitment_discount_category: 'Spend',
      contracted_cost: '22.8',
    },
  },
  {
    provider: 'azure',
    id: '/providers/microsoft.capacity/reservationorders/0001/reservations/0002',
    used: 6.2,
    unused: 3.8,
    more: {
      provider_name: 'Microsoft',
      commitment_discount_type: 'Reservation',
      commitment_discount_category: 'Usage',
      list_cost: '0',
      contracted_cost: '0',
    },
  },
  {
    provider: 'gcp',
    id: '769c55ea-c50f-4258-bcf5-04b6688fa5fa',
    used: 12,
    unused: 0,
    more: {
      provider_name: 'Google Cloud',
      commitment_discount_name: 'Committed use: CPU',
      commitment_discount_category: 'Spend',
      list_cost: '20',
    },
  },
]

/** Ten days of last month with a commitment of each cloud: one is used well, one is not, one is used up. */
export async function withCommitments(
  { deps: { store } }: Harness,
  org: TestOrganization,
): Promise<void> {
  const now = new Date()
  const day = (n: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, n)).toISOString().slice(0, 10)
  const bills = testBills(store, org.id)
  const charges = Array.from({ length: 10 }, (_, n) =>
    plans.flatMap((plan) => chargesOf(plan, day(n + 1))),
  ).flat()
  const slice = await bills.reading(await bills.source('commitments'), charges, day(1))
  const state = await swapSlice(store, { organizationId: org.id, sliceId: slice.id })
  if (state !== 'loaded') throw new Error(`the bill with commitments is ${state}`)
}

function chargesOf({ provider, id, used, unused, more }: Plan, day: string): TestCharge[] {
  const of: TestCharge = {
    day,
    provider,
    billed_cost: '0',
    commitment_discount_id: id,
    service_name: 'Compute',
    ...more,
  }
  const share = (cost: number, status: string): TestCharge => ({
    ...of,
    digest: randomUUID(),
    effective_cost: String(cost),
    commitment_discount_status: status,
  })
  const purchase: TestCharge = {
    ...of,
    digest: randomUUID(),
    charge_category: 'Purchase',
    billed_cost: String(used + unused),
    effective_cost: '0',
  }
  return [share(used, 'Used'), ...(unused > 0 ? [share(unused, 'Unused')] : []), purchase]
}
