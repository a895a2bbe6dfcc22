import { unwrap, type Tenant } from '../driver/tenant.ts'

/** The workspaces that name one cloud account. */
export function accountWorkspaces(tenant: Tenant, cloudAccountId: number) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => db('workspaces').where({ organizationId, cloudAccountId })

  return {
    /** Locked in ascending order, so that two changes cannot deadlock. */
    async hold(): Promise<number[]> {
      return rows().orderBy('id').forUpdate().pluck('id')
    },

    async ids(): Promise<number[]> {
      return rows().orderBy('id').pluck('id')
    },

    async named(limit: number): Promise<Array<{ id: number; name: string }>> {
      return rows().orderBy('id').limit(limit).select('id', 'name')
    },

    /** The one that names it for longest. */
    async first(): Promise<{ workspaceId: number; workspaceName: string } | undefined> {
      return rows().orderBy('id').first({ workspaceId: 'id', workspaceName: 'name' })
    },

    async detach(): Promise<void> {
      await rows().update({ cloudAccountId: null, updatedAt: db.raw('clock_timestamp()') })
    },
  }
}
