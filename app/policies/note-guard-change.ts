import { unwrap, type Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { noteChange } from '../workspaces/note-change.ts'
import type { PolicyWorkspaces } from '../../store/policies/policies.ts'

/** The workspaces that a policy judges; `limited`: those with a cost limit. */
export type GuardedWorkspaces = PolicyWorkspaces | 'limited'

/**
 * Notes a change of a rule over many workspaces: in each, who changed it becomes an author of the
 * next run, and a waiting approval is void. Called in the transaction of the change, after the
 * rule's own row is locked.
 */
export async function noteGuardChange(
  tenant: Tenant,
  caller: Caller,
  { what, guarded }: { what: string; guarded: readonly GuardedWorkspaces[] },
): Promise<void> {
  for (const workspaceId of await hold(tenant, guarded))
    await noteChange(tenant, caller, { workspaceId, what, effect: 'guard' })
}

/** Locks the rows in ascending order of ids, so that two concurrent changes cannot deadlock. */
async function hold(tenant: Tenant, guarded: readonly GuardedWorkspaces[]): Promise<number[]> {
  const { db, organizationId } = unwrap(tenant)

  const rows = db('workspaces').where({ organizationId })
  if (!guarded.includes('all'))
    void rows.where((any) => {
      const ids = guarded.flatMap((one) => (Array.isArray(one) ? one : []))
      void any.whereIn('id', ids)
      if (guarded.includes('production')) void any.orWhere({ criticality: 'production' })
      if (guarded.includes('limited')) void any.orWhereNotNull('costLimitMonthly')
    })
  return rows.orderBy('id').forUpdate().pluck('id')
}
