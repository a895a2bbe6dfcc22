import type { Logger } from 'pino'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import type { ArtifactStore } from '../../gateways/artifacts/artifact-store.ts'
import type { Store } from '../../store/driver/connect.ts'
import { buildCaches } from '../../store/pipelines/build-caches.ts'
import { unusedBuildCaches } from '../../store/platform/unused-build-caches.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxCaches = 100

/** Removes what builds kept and no build uses any more. */
export const sweepBuildCachesTask = ({
  store,
  builds,
  log,
}: {
  store: Store
  builds: { caches: Pick<ArtifactStore, 'remove'> }
  log: Logger
}): RecurringTask => ({
  name: 'sweep-build-caches',
  everyMs: 10 * 60_000,
  async run() {
    const unused = await unusedBuildCaches(store.platform, maxCaches)
    await eachByItself(unused, {
      task: 'sweep-build-caches',
      log,
      async work({ organizationId, id }) {
        const digests = await store.tenant(organizationId, async (tenant) =>
          buildCaches(tenant).forget([id]),
        )
        for (const digest of digests) await builds.caches.remove(organizationId, digest)
      },
    })
    return unused.length === maxCaches ? 'more' : 'done'
  },
})
