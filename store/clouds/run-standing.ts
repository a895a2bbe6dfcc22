import type { Store } from '../driver/connect.ts'

export type RunStanding = {
  /** The run is in the phase of its token, and no newer attempt has the fencing number. */
  isCurrent: boolean
  workspaceName: string
  /** The connected account that the workspace names now. */
  cloudAccountId: number | null
  accountVersion: number | null
}

/** What decides, at each use, whether a run is still lent credentials. Undefined for an unknown token. */
export async function runStanding(
  store: Pick<Store, 'read'>,
  organizationId: number,
  { runId, tokenHash }: { runId: number; tokenHash: Buffer },
): Promise<RunStanding | undefined> {
  const [row] = await store.read<RunStanding>(organizationId, {
    name: 'run-standing-for-cloud',
    text: `select (t.revoked_at is null and t.expires_at > now()
        and case t.run_phase when 'plan' then r.phase = 'planning'
          else r.phase = 'applying' and w.fence = t.fence end) as "isCurrent",
      w.name as "workspaceName", a.id as "cloudAccountId", a.version as "accountVersion"
      from tokens t
        join workspace_runs r on r.organization_id = t.organization_id and r.id = t.workspace_run_id
        join workspaces w on w.organization_id = r.organization_id and w.id = r.workspace_id
        left join cloud_accounts a on a.organization_id = w.organization_id
          and a.id = w.cloud_account_id and a.disconnected_at is null
      where t.organization_id = $1 and t.kind = 'run' and t.hash = $2 and r.id = $3`,
    values: [organizationId, tokenHash, runId],
  })
  return row
}
