import type { Tenant } from '../../store/driver/tenant.ts'
import { hydrateWorkspaceId, hydrateWorkspaceType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { gitHydrations } from '../../store/git/git-hydrations.ts'
import { outbox } from '../../store/outbox/outbox.ts'

type Hydration = {
  workspaceId: number
  configurationVersionId: number
  /** The run that causes the write; null if a new version does. */
  workspaceRunId?: number | null
}

/** Queues the write of a version to the workspace's connection, if that has a branch of its own. */
export async function queueHydration(
  tenant: Tenant,
  { workspaceId, configurationVersionId, workspaceRunId = null }: Hydration,
): Promise<void> {
  const hydrations = gitHydrations(tenant)
  const at = await hydrations.placeOf(workspaceId)
  if (!at) return
  const hydrationId = await hydrations.create({
    workspaceId,
    configurationVersionId,
    workspaceRunId,
    ...at,
  })
  await startHydration(tenant, { hydrationId, attempt: 'first' })
}

/**
 * Called when a run is about to use this version. Queues its write if it never reached the branch,
 * because the connection is newer or a write failed; a waiting write notes the run.
 */
export async function queueHydrationForRun(
  tenant: Tenant,
  run: { id: number; workspaceId: number; configurationVersionId: number },
): Promise<void> {
  const { id, workspaceId, configurationVersionId } = run
  const hydrations = gitHydrations(tenant)
  const at = await hydrations.placeOf(workspaceId)
  if (!at) return
  const last = await hydrations.newestOf({ workspaceId, configurationVersionId, ...at })
  if (!last || last.state === 'failed')
    return queueHydration(tenant, { workspaceId, configurationVersionId, workspaceRunId: id })
  await hydrations.noteRun(last.id, id)
}

/** Starts the workflow of a write. Another `attempt` starts another workflow for the same row. */
export async function startHydration(
  tenant: Tenant,
  { hydrationId, attempt }: { hydrationId: number; attempt: string },
): Promise<void> {
  const { organizationId } = tenant

  const input = { organizationId, hydrationId }
  const subject = await gitHydrations(tenant).subjectOf(hydrationId)
  await outbox(tenant).start({
    workflowType: hydrateWorkspaceType,
    workflowId: hydrateWorkspaceId({ ...input, attempt }),
    taskQueue: controlQueue,
    input,
    summary: `${subject?.name}, version ${subject?.number}, write to Git`,
    searchAttributes: { OrgId: `org-${organizationId}` },
    dedupeKey: `hydrate/${hydrationId}/${attempt}`,
  })
}
