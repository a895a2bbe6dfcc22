import { maxId } from '../../domain/max-id.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { queueHydration } from '../../app/git/queue-hydration.ts'
import { gitHydrations, type HydrationSummary } from '../../store/git/git-hydrations.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from '../workspaces/hold-workspace.ts'

/** Retries a failed hydrate as a new row, to where the workspace is connected now. */
export async function retryHydration(
  deps: Deps,
  caller: Caller,
  { id, hydrationId }: { id: number; hydrationId: number },
): Promise<HydrationSummary> {
  return holdWorkspace(deps, { caller, id }, async (tenant) => {
    const hydrations = gitHydrations(tenant)
    const row = await hydrations.getForUpdate(id, hydrationId)
    if (row.state !== 'failed')
      throw conflict(
        'hydration_not_failed',
        `This hydrate is ${row.state}; only a failed one is tried again.`,
      )
    const { configurationVersionId, workspaceRunId } = row
    await queueHydration(tenant, { workspaceId: id, configurationVersionId, workspaceRunId })
    const [newest = row] = await hydrations.list(id, 1, maxId)
    if (newest.id === row.id)
      throw conflict('not_connected', 'The workspace is connected to no infra repository.')
    return newest
  })
}
