import type { ChangedPart } from '../../domain/pipelines/parts-of-change.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Who changed what the next run of a pipeline does; they may not approve it (docs/runs.md, "Authors"). */
export function pipelineAuthorship(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async add(
      pipelineId: number,
      userId: number,
      { what, parts }: { what: string; parts: readonly ChangedPart[] },
    ): Promise<void> {
      await db('pipeline_authorship').insert(
        parts.map((part) => ({ organizationId, pipelineId, userId, what, part })),
      )
    },
  }
}
