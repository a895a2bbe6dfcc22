import { stripControls } from '../../domain/secrets/strip-controls.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { logLines, type LogLevel } from '../../store/runs/log-lines.ts'
import { sourceOfRun } from '../../store/runs/source-of-run.ts'

export type Said = readonly string[] | { level: LogLevel; lines: readonly string[] }

/** Adds lines of the service to the log of the stage `deploy`. Names of hosts are their agents'. */
export async function sayOfDeployment(tenant: Tenant, runId: number, said: Said): Promise<void> {
  const { level, lines } = 'level' in said ? said : { level: 'info' as const, lines: said }
  if (lines.length === 0) return
  const { stageIds } = await sourceOfRun(tenant, runId).get()
  await logLines(tenant).append(
    stageIds.deploy,
    lines.map((line) => ({ level, line: stripControls(line).slice(0, 2_000) })),
  )
}
