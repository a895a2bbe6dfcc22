import type { Caller } from '../../domain/access/caller.ts'
import { checkFolder } from '../../domain/workspaces/configuration-files.ts'
import { assertMayChangeGuard } from '../../domain/workspaces/guard-denied.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { presentWorkspace } from './present-workspaces.ts'
import { resolveSource } from './resolve-source.ts'
import type { NewWorkspaceBody, WorkspaceBody } from './schemas.ts'

/** Creates a workspace and `provision-<workspace>` in one transaction: neither exists without the other. */
export async function createWorkspace(
  deps: Deps,
  caller: Caller,
  input: NewWorkspaceBody,
): Promise<WorkspaceBody> {
  checkFolder(input.path ?? '')
  // Otherwise a new workspace would be a way around the guard of the old one.
  if (input.cloudAccountId) assertMayChangeGuard(caller, 'cloudAccountId')
  const { organizationId } = caller
  return deps.store.tenant(organizationId, async (tenant) => {
    const source = await resolveSource(tenant, caller, {
      asked: input,
      now: { sourceKind: 'inline', source: {}, gitConnectionId: null },
    })
    const { name, criticality, path, autoApply, unpriced, confirm } = input
    const { costLimitMonthly: limit } = input
    const workspace = await workspaces(tenant).create({
      name,
      ...source,
      ...(input.labels && { labels: input.labels }),
      ...(input.description !== undefined && { description: input.description }),
      ...(criticality && { criticality }),
      ...(path !== undefined && { path }),
      ...(autoApply !== undefined && { autoApply }),
      ...(unpriced && { unpriced }),
      ...(confirm && { confirm }),
      ...(input.cloudAccountId && { cloudAccountId: input.cloudAccountId }),
      ...(input.gitConnectionId && { gitConnectionId: input.gitConnectionId }),
      ...(limit !== undefined && { costLimitMonthly: limit === null ? null : String(limit) }),
    })
    const pipeline = await pipelines(tenant).create({
      name: `provision-${name}`,
      kind: 'infrastructure',
      managed: true,
      targetWorkspaceId: workspace.id,
    })
    const audit = auditLog(tenant, actorOf(caller))
    await audit.record('workspace.created', {
      target: { kind: 'workspace', id: workspace.id, label: name },
      detail: {
        criticality: workspace.criticality,
        confirm: workspace.confirm,
        costLimitMonthly: limit ?? null,
        source: { kind: workspace.sourceKind, ...workspace.source },
      },
    })
    await audit.record('pipeline.created', {
      target: { kind: 'pipeline', id: pipeline.id, label: pipeline.name },
      detail: { workspaceId: workspace.id, managed: true },
    })
    return presentWorkspace(tenant, workspace)
  })
}
