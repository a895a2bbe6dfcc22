import { swapSlice as swap } from '../../app/finops/swap-slice.ts'
import type { SliceInput } from '../../workflows/finops/contract.ts'
import { cloudActivity } from '../clouds/cloud-activity.ts'
import type { Deps } from '../deps.ts'

/**
 * Puts a loaded slice in the place of the current one, as one of this worker's readers. It goes before bills that
 * wait to be read: it is short, and its bill is loaded. Idempotent: a slice that is swapped is left alone.
 */
export const swapSlice =
  ({ store, billPlaces }: Pick<Deps, 'store' | 'billPlaces'>) =>
  async ({ organizationId, sliceId }: SliceInput): Promise<void> =>
    cloudActivity(async (signal) =>
      billPlaces.read(
        signal,
        async () => {
          await swap(store, { organizationId, sliceId })
        },
        { first: true },
      ),
    )
