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
