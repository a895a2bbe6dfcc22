import type { Tenant } from '../../store/driver/tenant.ts'
import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import type { PipelineRun } from '../../store/runs/pipeline-runs.ts'
import { stages, type Stage } from '../../store/runs/stages.ts'
import { presentRuns } from './present-runs.ts'
import type { RunWithLogs } from './schemas.ts'

/** At most so many first lines of each stage, less where all do not fit into one answer. `/logs` reads the rest. */
const linesPerStage = 1_000

/** Runs with the beginning of each stage's log. The lines of all runs are read in one statement. */
export async function runsWithLogs(
  tenant: Tenant,
  caller: Caller,
  places: readonly PipelineRun[],
): Promise<Array<Static<typeof RunWithLogs>>> {
  const bodies = await presentRuns(tenant, caller, { places })
  const rows = await stages(tenant).ofRuns(places)
  const lines = await logLines(tenant).firstOf(rows, linesPerStage)
  const byStage = Map.groupBy(lines, ({ stageId }) => stageId)

  return bodies.map((body) => {
    const place = places.find(({ id }) => id === body.id)
    const own = rows.filter((stage) => place && isStageOf(stage, place))
    return {
      ...body,
      logs: Object.fromEntries(
        own.map((stage) => [
          stage.name,
          (byStage.get(stage.id) ?? []).map(({ stageId: _, ...line }) => line),
        ]),
      ),
      logsTruncated: own.some(({ id, lastSeq }) => lastSeq > (byStage.get(id) ?? []).length),
    }
  })
}

const isStageOf = (stage: Stage, place: PipelineRun): boolean =>
  place.workspaceRunId === null
    ? stage.pipelineRunId === place.id
    : stage.workspaceRunId === place.workspaceRunId
