import type { WorkspaceRun } from './workspace-runs.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What a run's configuration is and where it came from, as its page shows it. */
export type RunVersion = {
  number: number
  filesSha256: string
  commitSha: string | null
  /** The number that the Git host gave it. */
  pullRequest: number | null
}

export async function versionsOfRuns(
  tenant: Tenant,
  runs: readonly WorkspaceRun[],
): Promise<Map<number, RunVersion>> {
  const { db, organizationId } = unwrap(tenant)
  const ids = [...new Set(runs.map((run) => run.configurationVersionId))]
  const rows = await db('configuration_versions as v')
    .leftJoin('git_pull_requests as p', (on) =>
      on.on('p.organizationId', 'v.organizationId').andOn('p.id', 'v.pullRequestId'),
    )
    .where({ 'v.organizationId': organizationId })
    .whereIn('v.id', ids)
    .select('v.id', 'v.number', 'v.filesSha256', 'v.commitSha', 'p.number as pullRequest')
  return new Map(rows.map(({ id, ...version }) => [id, version]))
}
