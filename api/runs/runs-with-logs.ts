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
import type { RunWithLogs } from './schemas.ts'

/** At most so many first lines of each stage, less where all do not fit into one answer. `/logs` reads the rest. */
const linesPerStage = 1_000

/** Runs with the beginning of each stage's log. The lines of all runs are read in one statement. */
export async function runsWithLogs(
  deps: { keyring: Keyring },
  { tenant, caller, places }: { tenant: Tenant; caller: Caller; places: readonly PipelineRun[] },
): Promise<Array<Static<typeof RunWithLogs>>> {
  const bodies = await presentRuns(tenant, caller, { places })
  const rows = await stages(tenant).ofRuns(places)
  const lines = await logLines(tenant).firstOf(rows, linesPerStage)
  const byStage = Map.groupBy(lines, ({ stageId }) => stageId)

  const searches = await searchesOf(deps, tenant, bodies)

  return bodies.map((body) => {
    const search = body.workspaceId === null ? undefined : searches.get(body.workspaceId)
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
  })
}

/** One of each workspace: the runs of a pipeline are mostly of one. */
async function searchesOf(
  deps: { keyring: Keyring },
  tenant: Tenant,
  bodies: ReadonlyArray<{ workspaceId: number | null }>,
): Promise<Map<number, SecretSearch>> {
  const { organizationId } = tenant
  const searches = new Map<number, SecretSearch>()
  for (const workspaceId of new Set(bodies.flatMap((body) => body.workspaceId ?? [])))
    searches.set(workspaceId, await searchForSecrets(deps, tenant, { organizationId, workspaceId }))
  return searches
}

const isStageOf = (stage: Stage, place: PipelineRun): boolean =>
  place.workspaceRunId === null
    ? stage.pipelineRunId === place.id
    : stage.workspaceRunId === place.workspaceRunId
