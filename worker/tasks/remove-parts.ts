import type { ArtifactStore } from '../../gateways/artifacts/artifact-store.ts'
import type { RecurringTask } from '../run-tasks.ts'

/**
 * Removes what killed processes left half written beside artifacts and caches of builds. Each may have gigabytes, and
 * it has to be hours old, since another machine may be writing it: a start alone would find what it left too young.
 */
export const removePartsTask = (
  stores: ReadonlyArray<Pick<ArtifactStore, 'removeParts'>>,
): RecurringTask => ({
  name: 'remove-parts',
  everyMs: 3_600_000,
  async run() {
    // A bucket that does not answer must not keep the folders full.
    const removals = await Promise.allSettled(stores.map(async (store) => store.removeParts()))
    const failed = removals.find((removal) => removal.status === 'rejected')
    if (failed) throw failed.reason
    return 'done'
  },
})
