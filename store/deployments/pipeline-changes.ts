import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Who changed a pipeline since its last good deployment: they may not approve the next one. */
export function pipelineChanges(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /** A deployment that began then succeeded, and had the changes before it. */
    async settle(pipelineId: number, before: Date): Promise<void> {
      await db('pipeline_authorship')
        .where({ organizationId, pipelineId })
        .whereNull('deployedAt')
        .where('at', '<=', before)
        .update({ deployedAt: db.fn.now() })
    },
  }
}
