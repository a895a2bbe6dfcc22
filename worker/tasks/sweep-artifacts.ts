import type { Logger } from 'pino'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import type { ArtifactStore } from '../../gateways/artifacts/artifact-store.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { dueSweeps, removableBlobs } from '../../store/platform/artifact-sweep.ts'
import { artifactBlobs } from '../../store/runs/artifact-blobs.ts'
import { claimSweep, noteUnreferenced, sweepArtifacts } from '../../store/runs/sweep-artifacts.ts'
import type { RecurringTask } from '../run-tasks.ts'

const organizationsAtOnce = 50
const blobsAtOnce = 200

type Needed = { store: Store; artifacts: ArtifactStore; log: Pick<Logger, 'warn'> }

/**
 * Ends artifacts that no rule keeps, once a day for each organization, and removes the bytes of those that
 * have ended. A row says that its artifact is gone before its bytes are.
 */
export const sweepArtifactsTask = (deps: Needed): RecurringTask => ({
  name: 'sweep-artifacts',
  everyMs: 600_000,
  async run() {
    const due = await dueSweeps(deps.store.platform, organizationsAtOnce)
    await eachByItself(due, {
      task: 'sweep-artifacts',
      log: deps.log,
      work: async ({ organizationId }) => sweepOrganization(deps, organizationId),
    })
    const removable = await removableBlobs(deps.store.platform, blobsAtOnce)
    await eachByItself(removable, {
      task: 'sweep-artifacts',
      log: deps.log,
      work: async (blob) => removeBlob(deps, blob),
    })
    const isFull = due.length === organizationsAtOnce || removable.length === blobsAtOnce
    return isFull ? 'more' : 'done'
  },
})

async function sweepOrganization({ store }: Needed, organizationId: number): Promise<void> {
  await store.tenant(organizationId, async (tenant) => {
    if (!(await claimSweep(tenant))) return
    const { artifactDays } = await organizationSettings(tenant)
    const swept = await sweepArtifacts(tenant, artifactDays)
    await noteUnreferenced(tenant)
    if (swept.artifacts === 0) return
    await auditLog(tenant, systemActor).record('pipeline.artifacts_swept', {
      target: { kind: 'organization', id: organizationId },
      detail: { ...swept, artifactDays },
    })
  })
}

/** A process that is killed in between leaves the row, by which the next pass removes the bytes again. */
async function removeBlob(
  { store, artifacts }: Needed,
  { organizationId, digest }: { organizationId: number; digest: string },
): Promise<void> {
  const isMine = await store.tenant(organizationId, async (tenant) =>
    artifactBlobs(tenant).beginRemoval(digest),
  )
  if (!isMine) return
  await artifacts.remove(organizationId, digest)
  await store.tenant(organizationId, async (tenant) => artifactBlobs(tenant).forget(digest))
}
