import type { HookFile } from '../../domain/pipelines/release-changes.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** The hooks of the artifacts of one organization, by the run that built each. */
export function releaseHooks(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /** Once, with the artifact. It may have none. */
    async add(pipelineRunId: number, hooks: readonly HookFile[]): Promise<void> {
      await db('artifacts').where({ organizationId, pipelineRunId }).update({ hooksNoted: true })
      if (hooks.length === 0) return
      await db('release_hooks').insert(
        hooks.map((hook) => ({ organizationId, pipelineRunId, ...hook })),
      )
    },

    async of(pipelineRunId: number): Promise<HookFile[]> {
      return db('release_hooks')
        .where({ organizationId, pipelineRunId })
        .select('name', 'path', 'sha256', 'text')
    },
  }
}
