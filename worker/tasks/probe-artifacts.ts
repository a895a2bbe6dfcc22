import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { probeStore } from '../../app/artifacts/probe-store.ts'
import type { ArtifactStore } from '../../gateways/artifacts/artifact-store.ts'
import type { Store } from '../../store/driver/connect.ts'
import { endedProbes } from '../../store/platform/artifact-probes.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** Finds out whether this worker has the artifact store of the API, which `/readyz` tells. */
export function probeArtifactsTask({
  store: { platform },
  artifacts,
  log,
}: {
  store: Store
  artifacts: ArtifactStore
  log: Pick<Logger, 'warn'>
}): RecurringTask {
  const probe = { name: `worker-${randomBytes(8).toString('hex')}`, part: 'worker' } as const
  return {
    name: 'probe-artifacts',
    everyMs: 60_000,
    async run() {
      const { unread } = await probeStore({ platform, artifacts }, probe)
      if (unread > 0)
        log.warn(
          { unread },
          'the API has another artifact store than this worker: CC_ARTIFACT_STORE',
        )
      for (const name of await endedProbes(platform)) await artifacts.removeProbe(name)
      return 'done'
    },
  }
}
