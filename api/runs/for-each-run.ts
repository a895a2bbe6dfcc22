import { AppError } from '../../domain/errors.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import type { RunPlace } from './present-runs.ts'

export type RunResult = { runId: number; ok: boolean; code: string | null }

/**
 * The run by any id that the service gave it, in a pipeline or as a plan-only run of its workspace. The
 * ids of all runs come from one sequence, so one names one run. Throws not-found for a run of another organization.
 */
export async function placeOfRunId(
  tenant: Tenant,
  id: number,
): Promise<RunPlace & { workspaceId: number | null }> {
  const place = await pipelineRuns(tenant).find(id)
  if (place) return place
  const { workspaceId } = await workspaceRuns(tenant).get(id)
  return { id, number: null, workspaceRunId: id, workspaceId }
}

/**
 * Does the same to each run, one after the other, each in a transaction of its own: a run that is
 * refused stops no other one, and no two workspaces are locked at once, so nothing can deadlock. The
 * newest run is the first: a run that waits for its turn ends before the end of an older one gives it
 * the turn. Another error than a refusal ends the request. A repeated request then refuses what was done.
 */
export async function forEachRun(
  runIds: readonly number[],
  act: (runId: number) => Promise<void>,
): Promise<RunResult[]> {
  const codes = new Map<number, string | null>()
  for (const runId of runIds.toSorted((a, b) => b - a))
    try {
      await act(runId)
      codes.set(runId, null)
    } catch (error) {
      if (!(error instanceof AppError) || error.fault === 'unavailable') throw error
      codes.set(runId, error.code)
    }
  return runIds.map((runId) => {
    const code = codes.get(runId) ?? null
    return { runId, ok: code === null, code }
  })
}
