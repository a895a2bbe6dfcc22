import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Who changed what the next run of a pipeline does; they may not approve it (docs/runs.md, "Authors"). */
export function pipelineAuthorship(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async add(pipelineId: number, userId: number, what: string): Promise<void> {
      await db('pipeline_authorship').insert({ organizationId, pipelineId, userId, what })
    },
  }
}
