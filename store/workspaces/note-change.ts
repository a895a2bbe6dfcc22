import type { Caller } from '../../domain/access/caller.ts'
import { actorOf } from '../audit/audit-log.ts'
import type { Db } from '../connect.ts'
import { voidWaitingRuns } from '../pipelines/void-waiting-runs.ts'
import { workspaceAuthorship } from './workspace-authorship.ts'

export type NotedChange = {
  workspaceId: number
  /** What was changed, as it reads in "the … was changed". */
  what: string
  /** `stale`: the plan no longer says what would be done. `guard`: only who may approve it has changed. */
  effect: 'stale' | 'guard'
}

/**
 * Whoever changes what a workspace's next run does, or what guards it, is among that
 * run's authors, and what waited for approval no longer holds (decisions §4). In the
 * transaction of the change, holding the workspace's row.
 */
export async function noteChange(
  db: Db,
  caller: Caller,
  { workspaceId, what, effect }: NotedChange,
): Promise<void> {
  const { organizationId } = caller
  await workspaceAuthorship(db, organizationId).add(workspaceId, caller.userId, what)
  await voidWaitingRuns(db, organizationId, {
    workspaceId,
    actor: actorOf(caller),
    effect,
    what: `${what} changed by ${caller.email ?? caller.name}`,
  })
}
