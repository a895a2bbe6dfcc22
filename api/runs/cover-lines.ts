import { searchForSecrets } from '../../app/workspaces/secrets-of-workspace.ts'
import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { RunOfStages } from '../../store/runs/stages.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'

type Search = Pick<SecretSearch, 'coverLines'>

/** What may not be in a run's log; undefined for a run of an application, which has no workspace. */
export async function searchForLines(
  deps: { keyring: Keyring },
  tenant: Tenant,
  { workspaceRunId: runId }: RunOfStages,
): Promise<Search | undefined> {
  if (runId === null) return undefined
  const { workspaceId } = await workspaceRuns(tenant).get(runId)
  const { organizationId } = tenant
  return searchForSecrets(deps, tenant, { organizationId, workspaceId, runId })
}

/** Masks what has become sensitive since the lines were written. */
export const coverLines = <Line extends { line: string }>(
  lines: readonly Line[],
  search: Search | undefined,
): Line[] => {
  const covered = search?.coverLines(lines.map(({ line }) => line))
  return lines.map((line, at) => ({ ...line, line: covered ? (covered[at] ?? '') : line.line }))
}
