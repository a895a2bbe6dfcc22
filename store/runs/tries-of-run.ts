import { unwrap, type Tenant } from '../driver/tenant.ts'

/** A stage that was begun, and how often. */
export type TriesOfStage = { stage: string; count: number; lastAt: Date | null }

/**
 * How often the stages of a run were begun: a worker that is lost begins one again. Each plan gets a
 * token of its own (store/infrastructure/begin-plan.ts), and an apply is begun once.
 */
export async function triesOfRun(tenant: Tenant, workspaceRunId: number): Promise<TriesOfStage[]> {
  const { db, organizationId } = unwrap(tenant)
  return db('tokens')
    .where({ organizationId, workspaceRunId, kind: 'run' })
    .whereNotNull('runPhase')
    .groupBy('runPhase')
    .orderByRaw('min(id)')
    .select({ stage: 'runPhase', lastAt: db.raw('max(created_at)') })
    .select(db.raw('count(*)::integer as count'))
}

/** The same of an application. */
export async function triesOfApplication(
  tenant: Tenant,
  pipelineRunId: number,
): Promise<TriesOfStage[]> {
  const { db, organizationId } = unwrap(tenant)
  const row = await db('application_runs')
    .where({ organizationId, pipelineRunId })
    .first('sourcesBegun', 'buildsBegun')
  return [
    { stage: 'source', count: row?.sourcesBegun ?? 0, lastAt: null },
    { stage: 'build', count: row?.buildsBegun ?? 0, lastAt: null },
  ].filter(({ count }) => count > 0)
}
