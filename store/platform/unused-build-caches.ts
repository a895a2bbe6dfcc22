import type { PlatformDb } from '../driver/connect.ts'

/** Caches that no build has used for a month, and those of pipelines that were deleted. */
export async function unusedBuildCaches(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; id: number }>> {
  return db('build_caches')
    .whereNull('pipelineId')
    .orWhereRaw(`used_at < now() - interval '30 days'`)
    .orderBy('id')
    .limit(limit)
    .select('organizationId', 'id')
}
