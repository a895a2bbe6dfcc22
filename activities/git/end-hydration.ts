import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { gitHydrations } from '../../store/git/git-hydrations.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { HydrateWorkspaceInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'

export type HydrationEnd = HydrateWorkspaceInput & {
  state: 'superseded' | 'failed' | 'diverged'
  reason?: string
  paths?: string[]
  /** Sealed, as are the two columns. */
  differences?: Buffer
  shownDifferences?: Buffer
}

/** Ends a hydrate that wrote nothing, once: the caller that moves the row writes the audit entry. */
export async function endHydration(
  { store }: Pick<Deps, 'store'>,
  end: HydrationEnd,
): Promise<void> {
  const { organizationId, hydrationId, state, reason = null, paths } = end
  const { differences, shownDifferences } = end
  await store.tenant(organizationId, async (tenant) => {
    const hydrations = gitHydrations(tenant)
    const row = await hydrations.find(hydrationId)
    if (!row) return
    const ended = await hydrations.end(hydrationId, {
      state,
      reason,
      ...(differences && { differences }),
      ...(shownDifferences && { shownDifferences }),
    })
    if (!ended || state === 'superseded') return
    const { id, name } = await workspaces(tenant).get(row.workspaceId)
    await auditLog(tenant, systemActor).record('git.repo_write_failed', {
      outcome: 'failure',
      target: { kind: 'workspace', id, label: name },
      detail: {
        reason,
        hydrationId,
        branch: row.branch,
        ...(paths && { paths: paths.slice(0, 20) }),
      },
    })
  })
}

/** Called by the workflow when the write itself was refused. */
export const failHydration =
  (deps: Deps) =>
  async ({ reason, ...input }: HydrateWorkspaceInput & { reason: string }): Promise<void> =>
    endHydration(deps, { ...input, state: 'failed', reason })
