import { unwrap, type Tenant } from '../driver/tenant.ts'
/** Who changed what the next run of a workspace will do; they may not approve it (docs/runs.md, "Authors"). */
export function workspaceAuthorship(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const open = (workspaceId: number) =>
    db('workspace_authorship').where({ organizationId, workspaceId }).whereNull('appliedAt')

  return {
    /** Notes one change in each of these workspaces, in one statement. */
    async add(workspaceIds: readonly number[], userId: number, what: string): Promise<void> {
      if (workspaceIds.length === 0) return
      await db.raw(
        `insert into workspace_authorship (organization_id, workspace_id, user_id, what)
         select :organizationId::integer, id, :userId::integer, :what::text
         from unnest(:workspaceIds::integer[]) as w (id)`,
        { organizationId, workspaceIds: [...workspaceIds], userId, what },
      )
    },

    /** Closes the entries that a successful apply included; later ones stay open. */
    async settle(workspaceId: number, throughId: number): Promise<void> {
      await open(workspaceId).where('id', '<=', throughId).update({ appliedAt: db.fn.now() })
    },
  }
}
