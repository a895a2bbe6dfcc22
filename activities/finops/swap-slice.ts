import { swapSlice as swap } from '../../app/finops/swap-slice.ts'
import type { SliceInput } from '../../workflows/finops/contract.ts'
import { cloudActivity } from '../clouds/cloud-activity.ts'
import type { Deps } from '../deps.ts'

/** Puts a loaded slice in the place of the current one. Idempotent: a slice that is swapped is left alone. */
export const swapSlice =
  ({ store }: Pick<Deps, 'store'>) =>
  async ({ organizationId, sliceId }: SliceInput): Promise<void> =>
    cloudActivity(async () => {
      await swap(store, { organizationId, sliceId })
    })
