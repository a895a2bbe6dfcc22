import type { Tenant } from '../../store/driver/tenant.ts'
import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { searchForSecrets } from '../../app/workspaces/secrets-of-workspace.ts'
import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import type { PipelineRun } from '../../store/runs/pipeline-runs.ts'
import { stages, type Stage } from '../../store/runs/stages.ts'
import { coverFindings } from './cover-findings.ts'
import { coverLines } from './cover-lines.ts'
import { presentRuns } from './present-runs.ts'
import type { RunBody, RunWithLogs } from './schemas.ts'

type Body = Static<typeof RunWithLogs>

/** At most so many first lines of each stage, less where all do not fit into one answer. `/logs` reads the rest. */
const linesPerStage = 1_000

/** Runs with the beginning of each stage's log. The lines of all runs are read in one statement. */
export async function runsWithLogs(
  deps: { keyring: Keyring },
  { tenant, caller, places }: { tenant: Tenant; caller: Caller; places: readonly PipelineRun[] },
): Promise<Body[]> {
  const bodies = await presentRuns(tenant, caller, { places })
  const rows = await stages(tenant).ofRuns(places)
  const lines = await logLines(tenant).firstOf(rows, linesPerStage)
  const byStage = Map.groupBy(lines, ({ stageId }) => stageId)
  const withLogs = (body: RunBody, search: SecretSearch | undefined): Body => {
    const place = places.find(({ id }) => id === body.id)
    const own = rows.filter((stage) => place && isStageOf(stage, place))
    return {
      ...body,
      stages: search ? coverFindings(body.stages, search) : body.stages,
      logs: Object.fromEntries(
        own.map((stage) => [
          stage.name,
          coverLines(byStage.get(stage.id) ?? [], search).map(({ stageId: _, ...line }) => line),
        ]),
      ),
      logsTruncated: own.some(({ id, lastSeq }) => lastSeq > (byStage.get(id) ?? []).length),
    }
  }
  const { organizationId } = tenant
  const shown = new Map<number, Body>()
  // One workspace at a time: its search may have megabytes, and 20 runs may be of 20 workspaces.
  for (const [workspaceId, ofWorkspace] of Map.groupBy(bodies, (body) => body.workspaceId)) {
    const search =
      workspaceId === null
        ? undefined
        : await searchForSecrets(deps, tenant, { organizationId, workspaceId })
    for (const body of ofWorkspace) shown.set(body.id, withLogs(body, search))
  }
  return bodies.flatMap(({ id }) => shown.get(id) ?? [])
}

const isStageOf = (stage: Stage, place: PipelineRun): boolean =>
  place.workspaceRunId === null
    ? stage.pipelineRunId === place.id
    : stage.workspaceRunId === place.workspaceRunId
