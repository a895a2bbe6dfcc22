import { unwrap, type Tenant } from '../driver/tenant.ts'

/** A run of an application as it is compared with another. */
export type ComparedRelease = {
  runId: number
  number: number
  commitSha: string | null
  /** YAML, of the run that built the artifact; null before it is fetched. */
  manifest: string | null
  /** The run that built the artifact. */
  artifactRunId: number
  /** Whether the hooks of its artifact were noted: an older artifact has none. */
  hasHooks: boolean
  targetWorkspaceId: number | null
}

/**
 * A run and what it replaces: the release of the pipeline's last good deployment to its target, from before its own
 * deployment began. `before` is null where there was none, and undefined is no run of an application.
 */
export async function comparedReleases(
  tenant: Tenant,
  runId: number,
): Promise<{ after: ComparedRelease; before: ComparedRelease | null } | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw<{ rows: ComparedRelease[] }>(
    `with replaced as (
       select d.pipeline_run_id from application_runs a
         left join deployments own on own.organization_id = a.organization_id
           and own.pipeline_run_id = a.pipeline_run_id
         join deployments d on d.organization_id = a.organization_id and d.pipeline_id = a.pipeline_id
           and d.workspace_id = a.target_workspace_id
       where a.organization_id = :organizationId and a.pipeline_run_id = :runId
         and d.pipeline_run_id <> a.pipeline_run_id and d.outcome = 'succeeded'
         and d.ended_at <= coalesce(own.started_at, a.ended_at, now())
       order by d.ended_at desc limit 1)
     select a.pipeline_run_id as "runId", r.number, coalesce(a.commit_sha, b.commit_sha) as "commitSha",
       coalesce(b.manifest, a.manifest) as manifest,
       coalesce(a.artifact_run_id, a.pipeline_run_id) as "artifactRunId",
       coalesce(f.hooks_noted, false) as "hasHooks", a.target_workspace_id as "targetWorkspaceId"
     from application_runs a
       join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
       left join application_runs b on b.organization_id = a.organization_id
         and b.pipeline_run_id = a.artifact_run_id
       left join artifacts f on f.organization_id = a.organization_id
         and f.pipeline_run_id = coalesce(a.artifact_run_id, a.pipeline_run_id)
     where a.organization_id = :organizationId
       and a.pipeline_run_id in (:runId, (select pipeline_run_id from replaced))`,
    { organizationId, runId },
  )
  const after = rows.find((row) => row.runId === runId)
  if (!after) return undefined
  return { after, before: rows.find((row) => row.runId !== runId) ?? null }
}
