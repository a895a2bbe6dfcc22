/** SQL: the run of an application whose release `workspace_runs r` deploys; null for any other run. */
export const deployedRunId = `case when r.origin = 'deployment' then (
    select max(d.pipeline_run_id) from deployments d
    where d.organization_id = r.organization_id and d.workspace_run_id = r.id) end`
