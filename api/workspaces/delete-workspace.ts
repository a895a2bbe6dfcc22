import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { assertMayChangeGuard } from '../../domain/workspaces/guard-denied.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { costRebuilds } from '../../store/finops/cost-rebuilds.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { lockedBy } from './locked-by.ts'
import { inParts } from '../../app/workspaces/state-in-parts.ts'

/**
 * Deletes a workspace with its configuration, state, runs and infrastructure pipelines. Refused while an
 * application pipeline deploys to it.
 */
export async function deleteWorkspace(
  deps: Deps,
  caller: Caller,
  { id, abandon }: { id: number; abandon: boolean },
): Promise<void> {
  await settleState(deps, caller.organizationId, id)
  await holdWorkspace(deps, { caller, id }, async (tenant, workspace) => {
    if (workspace.criticality === 'production')
      assertMayChangeGuard(caller, 'a production workspace by deleting it')
    if (abandon) assertMayChangeGuard(caller, 'what is left running (abandon=true)')
    const abandoned = await assertDeletable(tenant, { workspace, abandon })
    await remove(tenant, caller, { workspace, abandoned })
  })
}

/** Splits an older state first, outside of the transaction: its resources are unknown before. */
async function settleState(deps: Deps, organizationId: number, id: number): Promise<void> {
  const version = await deps.store.tenant(organizationId, async (tenant) =>
    stateVersions(tenant).current(id),
  )
  if (version) await inParts(deps, { organizationId, version })
}

/** Returns how many resources are left without a workspace. */
async function assertDeletable(
  tenant: Tenant,
  { workspace, abandon }: { workspace: Workspace; abandon: boolean },
): Promise<number> {
  if (await workspaceRuns(tenant).hasLive(workspace.id))
    throw conflict('run_in_progress', 'A run of this workspace is under way. Cancel it first.')
  const lock = await workspaceLocks(tenant).find(workspace.id)
  if (lock) throw lockedBy(lock)
  await assertNoTarget(tenant, workspace.id)
  const state = await stateVersions(tenant).current(workspace.id)
  // A version that is not split yet may contain any number.
  const resources = state ? (state.managedResources ?? 1) : 0
  if (resources > 0 && !abandon)
    throw conflict(
      'state_not_empty',
      `The state still has ${resources} resource(s). Destroy them first, or leave them running with ?abandon=true.`,
    )
  return resources
}

/** A pipeline that deploys here would go on without a target, and its hosts without a pipeline. */
async function assertNoTarget(tenant: Tenant, workspaceId: number): Promise<void> {
  const all = await pipelines(tenant).listOf(workspaceId)
  const targeting = all.filter(({ kind }) => kind === 'application')
  if (targeting.length === 0) return
  throw new AppError(
    'conflict',
    'Application pipelines deploy to this workspace. Give them another target, or delete them.',
    {
      code: 'workspace_in_use',
      details: targeting
        .slice(0, 50)
        .map(({ id, name }) => ({ path: `pipelines/${id}`, message: name })),
    },
  )
}

async function remove(
  tenant: Tenant,
  caller: Caller,
  { workspace, abandoned }: { workspace: Workspace; abandoned: number },
): Promise<void> {
  const audit = auditLog(tenant, actorOf(caller))
  // Of infrastructure alone: one of an application was refused above.
  for (const { id, name } of await pipelines(tenant).listOf(workspace.id)) {
    await audit.record('pipeline.deleted', {
      target: { kind: 'pipeline', id, label: name },
      detail: { workspaceId: workspace.id },
    })
    await pipelines(tenant).delete(id)
  }
  await audit.record('workspace.deleted', {
    target: { kind: 'workspace', id: workspace.id, label: workspace.name },
    detail: { criticality: workspace.criticality, abandonedResources: abandoned },
  })
  const hasCost = await costRebuilds(tenant).noteFreed(workspace.id)
  await workspaces(tenant).delete(workspace.id)
  // What it owned is nobody's from here on.
  if (hasCost) await raiseCostVersion(tenant)
}
