import { unwrap, type Tenant } from '../driver/tenant.ts'
/** Who changed what the next run of a workspace will do; they may not approve it (docs/runs.md, "Authors"). */
export function workspaceAuthorship(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const open = (workspaceId: number) =>
    db('workspace_authorship').where({ organizationId, workspaceId }).whereNull('appliedAt')

  return {
    async add(workspaceId: number, userId: number, what: string): Promise<void> {
      await db('workspace_authorship').insert({ organizationId, workspaceId, userId, what })
    },

    /** Closes the entries that a successful apply included; later ones stay open. */
    async settle(workspaceId: number, throughId: number): Promise<void> {
      await open(workspaceId).where('id', '<=', throughId).update({ appliedAt: db.fn.now() })
    },
  }
}
