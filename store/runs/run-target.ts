import { notFound } from '../../domain/errors.ts'
import type { Store } from '../driver/connect.ts'
import type { Workspace } from '../workspaces/workspaces.ts'

export type RunTarget = { workspaceId: number; sourceKind: Workspace['sourceKind'] }

/**
 * The workspace that a run would be of. Undefined if there is no such workspace or pipeline, and
 * nulls for a pipeline that provisions none.
 */
export async function runTarget(
  store: Store,
  organizationId: number,
  target: { workspaceId: number } | { pipelineId: number },
): Promise<RunTarget | { workspaceId: null; sourceKind: null } | undefined> {
  const isWorkspace = 'workspaceId' in target
  const [found] = await store.read<RunTarget | { workspaceId: null; sourceKind: null }>(
    organizationId,
    {
      name: isWorkspace ? 'run-target-workspace' : 'run-target-pipeline',
      text: isWorkspace
        ? `select id as "workspaceId", source_kind as "sourceKind"
           from workspaces where organization_id = $1 and id = $2`
        : `select w.id as "workspaceId", w.source_kind as "sourceKind" from pipelines p
             left join workspaces w on w.organization_id = p.organization_id
               and w.id = p.target_workspace_id and p.kind = 'infrastructure'
           where p.organization_id = $1 and p.id = $2`,
      values: [organizationId, isWorkspace ? target.workspaceId : target.pipelineId],
    },
  )
  return found
}

/** Throws not-found for a pipeline of another organization. */
export async function pipelineKind(
  store: Store,
  organizationId: number,
  pipelineId: number,
): Promise<'application' | 'infrastructure'> {
  const [found] = await store.read<{ kind: 'application' | 'infrastructure' }>(organizationId, {
    name: 'kind-of-pipeline',
    text: 'select kind from pipelines where organization_id = $1 and id = $2',
    values: [organizationId, pipelineId],
  })
  if (!found) throw notFound()
  return found.kind
}
