import { mergePlace as merge } from '../../store/clouds/merge-place.ts'
import type { SyncPlaceInput } from '../../workflows/clouds/contract.ts'
import type { Deps } from '../deps.ts'
import { cloudStep } from './cloud-step.ts'

/** Merges what was staged of a place. Idempotent: a place that is merged, or not whole, is left alone. */
export const mergePlace =
  ({ store }: Pick<Deps, 'store'>) =>
  async ({ organizationId, syncId, placeId }: SyncPlaceInput): Promise<void> =>
    cloudStep({ store }, { organizationId, kind: 'merge' }, async () => {
      await store.tenant(organizationId, async (tenant) => merge(tenant, { syncId, placeId }))
    })
