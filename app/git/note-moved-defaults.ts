import type { Caller } from '../../domain/access/caller.ts'
import { defaultsOfConnection, partsOfChange } from '../../domain/pipelines/parts-of-change.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  noteOtherPlace,
  pipelinesThatWait,
  type Followers,
} from '../../store/git/followers-of-defaults.ts'
import type { RowsOfRepository } from '../../store/git/rows-of-repository.ts'
import { voidWaitingReleases } from '../runs/void-waiting-releases.ts'
import { noteChanges } from '../workspaces/note-change.ts'

export type MovedDefaults = { repo: boolean; branch: boolean }

/**
 * Notes that a Git connection leads to another repository or branch. For a workspace that follows it this is a change
 * of its source, for a pipeline one of its branch. Without it, somebody who may change connections could have
 * production planned from a branch of their own, and approve that as a person who changed nothing. Called in the
 * transaction of the change, which holds the followers and then the connection.
 */
export async function noteMovedDefaults(
  tenant: Tenant,
  caller: Caller,
  { followers, moved }: { followers: Followers; moved: MovedDefaults },
): Promise<void> {
  const rows = whoseMoved(followers, moved)
  if (rows.workspaceIds.length + rows.pipelineIds.length === 0) return
  const what = defaultsOfConnection
  const parts = partsOfChange(['appBranch'])
  await noteOtherPlace(tenant, rows, { userId: caller.userId, what, parts })
  await noteChanges(tenant, caller, { workspaceIds: rows.workspaceIds, what, effect: 'stale' })
  const by = caller.email ?? caller.name
  const change = { actor: actorOf(caller), what: `${what} changed by ${by}` }
  // What was built stays what it is: only who may approve it has changed.
  for (const pipelineId of await pipelinesThatWait(tenant, rows.pipelineIds))
    await voidWaitingReleases(tenant, { ...change, pipelineId, effect: 'guard' })
}

const whoseMoved = (
  { workspaces, pipelineIds }: Followers,
  { repo, branch }: MovedDefaults,
): RowsOfRepository => ({
  workspaceIds: workspaces
    .filter(({ hasBranch }) => repo || (branch && !hasBranch))
    .map(({ id }) => id),
  pipelineIds: branch ? [...pipelineIds] : [],
})
