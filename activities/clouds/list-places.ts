import { syncPlaces } from '../../store/clouds/sync-places.ts'
import type { SyncAccountInput } from '../../workflows/clouds/contract.ts'
import type { Deps } from '../deps.ts'
import { askInTime, withCloud } from './cloud-activity.ts'
import { cloudStep } from './cloud-step.ts'

type Needed = Pick<Deps, 'store' | 'openCloud'>

/** Asks the cloud what there is to look at. Idempotent: places that were noted stay as they are. */
export const listPlaces =
  (deps: Needed) =>
  async (input: SyncAccountInput): Promise<{ placeIds: number[] }> =>
    cloudStep(deps, { ...input, kind: 'look' }, async (signal) => {
      await withCloud(deps, input, async (cloud, sync) => {
        const found = await askInTime(async (until) => cloud.places(until), { signal })
        await deps.store.tenant(input.organizationId, async (tenant) =>
          syncPlaces(tenant).note(sync, found),
        )
      })
      const places = await deps.store.tenant(input.organizationId, async (tenant) =>
        syncPlaces(tenant).list(input.syncId),
      )
      return {
        placeIds: places.filter(({ state }) => state === 'waiting').map(({ placeId }) => placeId),
      }
    })
