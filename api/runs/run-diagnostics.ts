import { posix } from 'node:path'
import { diagnosticsIn, type Diagnostic } from '../../domain/runs/diagnostics-in-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'

export type RunDiagnostic = Diagnostic & { stage: string }

/** What OpenTofu said is wrong, from the logs of the run's stages. */
export async function runDiagnostics(
  tenant: Tenant,
  workspaceRunId: number,
): Promise<RunDiagnostic[]> {
  const { workspaceId } = await workspaceRuns(tenant).get(workspaceRunId)
  const { path } = await workspaces(tenant).get(workspaceId)
  const begun = (await stages(tenant).ofRuns([{ id: workspaceRunId, workspaceRunId }])).filter(
    ({ lastSeq }) => lastSeq > 0,
  )
  const found = await Promise.all(
    begun.map(async ({ id, name }) => {
      const lines = await logLines(tenant).problems(id, maxLines)
      return diagnosticsIn(lines).map((one) => ({
        ...one,
        file: one.file === null ? null : fileIn(path, one.file),
        stage: name,
      }))
    }),
  )
  return found.flat()
}

const maxLines = 2_000

/** The name of the file in the configuration: OpenTofu names it from the folder of the workspace. */
const fileIn = (folder: string, file: string): string => posix.normalize(posix.join(folder, file))
