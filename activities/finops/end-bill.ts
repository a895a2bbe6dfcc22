import { endBill as end } from '../../app/finops/end-bill.ts'
import type { BillInput } from '../../workflows/finops/contract.ts'
import type { Deps } from '../deps.ts'

/** Ends a bill: an upload was read, or the slice that could not be read says why. */
export const endBill =
  ({ store }: Pick<Deps, 'store'>) =>
  async ({ organizationId, code, ...bill }: BillInput & { code?: string }): Promise<void> =>
    store.tenant(organizationId, async (tenant) => end(tenant, { ...bill, failure: code ?? null }))
