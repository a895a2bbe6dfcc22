import type { Tenant } from '../driver/tenant.ts'
import { pipelineRuns } from './pipeline-runs.ts'

/**
 * How runs are named to people: by their number in the pipeline of their workspace, as in lists of
 * runs, and not by their id. A plan-only run has no number and is absent.
 */
export async function runLabels(
  tenant: Tenant,
  workspaceRunIds: readonly number[],
): Promise<Map<number, string>> {
  const places = await runPlaces(tenant, workspaceRunIds)
  return new Map([...places].map(([id, { number }]) => [id, `run #${number}`]))
}

/** The place of each run in the pipeline of its workspace, or of its application. */
export async function runPlaces(
  tenant: Tenant,
  runIds: readonly number[],
): Promise<Map<number, { pipelineId: number; number: number }>> {
  if (runIds.length === 0) return new Map()
  const places = await pipelineRuns(tenant).placesOf(runIds)
  return new Map(places.map(({ id, pipelineId, number }) => [id, { pipelineId, number }]))
}
