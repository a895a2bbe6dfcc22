/**
 * SQL: whether an artifact is in use, so that it is kept at any age. It runs on a host; it was deployed last
 * to a workspace; a deployment under way installs it, or goes back to it; or a run that has built it, or
 * is to deploy it, is not over.
 */
export const inUse = (a: string): string => `
  exists (select 1 from agents g
    where g.organization_id = ${a}.organization_id and g.release_digest = ${a}.digest
      and g.deleted_at is null)
  or exists (select 1 from deployments d
    where d.organization_id = ${a}.organization_id and d.artifact_run_id = ${a}.pipeline_run_id
      and (d.ended_at is null
        or exists (select 1 from deployments live
          where live.organization_id = d.organization_id and live.earlier_run_id = d.pipeline_run_id
            and live.ended_at is null)
        or (d.outcome = 'succeeded' and not exists (select 1 from deployments newer
          where newer.organization_id = d.organization_id and newer.pipeline_id = d.pipeline_id
            and newer.workspace_id = d.workspace_id and newer.outcome = 'succeeded'
            and (newer.started_at, newer.pipeline_run_id) > (d.started_at, d.pipeline_run_id)))))
  or exists (select 1 from application_runs own
    where own.organization_id = ${a}.organization_id
      and (own.pipeline_run_id = ${a}.pipeline_run_id or own.artifact_run_id = ${a}.pipeline_run_id)
      and own.phase not in ('succeeded', 'failed', 'canceled'))`
