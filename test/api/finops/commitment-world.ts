import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { tellOfUnusedCommitments } from '../../../app/finops/tell-of-unused-commitments.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { testBills, type TestCharge } from '../../harness/bills.ts'
import type { Harness } from '../../harness/create-harness.ts'

/** An organization whose bills have commitments, and what its people see of them. */
export async function commitmentWorld(harness: Harness) {
  const { store } = harness.deps
  const org = await harness.organization()
  const bills = testBills(store, org.id)
  const viewer = await org.user('Viewer')
  return {
    org,
    bills,
    viewer,
    load: async (charges: TestCharge[], sourceId?: number, period?: string) => {
      const own = charges.map((given) => ({ digest: randomUUID(), ...given }))
      const slice = await bills.reading(sourceId ?? (await bills.source()), own, period)
      expect(await swapSlice(store, { organizationId: org.id, sliceId: slice.id })).toBe('loaded')
      return slice
    },
    list: async (query = 'from=2026-03-01&to=2026-03-31') => {
      const answer = await viewer.get(`/api/finops/commitments?${query}`)
      expect(answer.statusCode, answer.body).toBe(200)
      return answer.json()
    },
    tell: async () => store.tenant(org.id, tellOfUnusedCommitments),
    told: async () =>
      store.tenant(org.id, async (tenant) =>
        unwrap(tenant)
          .db('notices')
          .where('event', 'commitment.unused')
          .orderBy('id')
          .select('subjectLabel', 'title', 'detail', 'lines', 'path'),
      ),
  }
}

/** What a savings plan covered, or left unused, on a day of March 2026. Its list price is twice its cost. */
export const covered = (
  day: number,
  cost: string,
  status: 'Used' | 'Unused',
  more: TestCharge = {},
): TestCharge => ({
  day: `2026-03-${String(day).padStart(2, '0')}`,
  billed_cost: '0',
  effective_cost: cost,
  list_cost: status === 'Used' ? String(Number(cost) * 2) : '0',
  commitment_discount_id: 'arn:sp-1',
  commitment_discount_name: 'one year',
  commitment_discount_type: 'Savings Plan',
  commitment_discount_category: 'Spend',
  commitment_discount_status: status,
  ...more,
})
