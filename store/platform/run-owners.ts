import type { Store } from '../driver/connect.ts'

/** The organization of a run. An activity takes it from here, never from its argument (docs/temporal.md). */
export async function organizationOfRun(
  store: Pick<Store, 'lookUp'>,
  workspaceRunId: number,
): Promise<number | undefined> {
  const [row] = await store.lookUp<{ organizationId: number }>({
    name: 'organization-of-run',
    text: 'select organization_id as "organizationId" from workspace_runs where id = $1',
    values: [workspaceRunId],
  })
  return row?.organizationId
}

/** The same of a run of an application, by its pipeline run's id. */
export async function organizationOfApplicationRun(
  store: Pick<Store, 'lookUp'>,
  pipelineRunId: number,
): Promise<number | undefined> {
  const [row] = await store.lookUp<{ organizationId: number }>({
    name: 'organization-of-application-run',
    text: 'select organization_id as "organizationId" from application_runs where pipeline_run_id = $1',
    values: [pipelineRunId],
  })
  return row?.organizationId
}
