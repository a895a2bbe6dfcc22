import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { workspaceViews, type WorkspaceView } from '../../store/workspaces/workspace-views.ts'
import type { NewViewBody, ViewBody } from './view-schemas.ts'

/** Shares a view of the list of workspaces with the organization. */
export async function shareView(
  tenant: Tenant,
  caller: Caller,
  { name, search }: NewViewBody,
): Promise<ViewBody> {
  const views = workspaceViews(tenant)
  const id = await views.create({ name: name.trim(), search, userId: caller.userId })
  const view = await views.get(id)
  await record(tenant, caller, { event: 'workspace.view_shared', view })
  return presentView(view)
}

/** Removes a shared view for everybody. No workspace is changed by it. */
export async function removeView(tenant: Tenant, caller: Caller, id: number): Promise<void> {
  const views = workspaceViews(tenant)
  const view = await views.get(id)
  await views.delete(id)
  await record(tenant, caller, { event: 'workspace.view_removed', view })
}

const record = async (
  tenant: Tenant,
  caller: Caller,
  { event, view: { id, name, search } }: { event: string; view: WorkspaceView },
) =>
  auditLog(tenant, actorOf(caller)).record(event, {
    target: { kind: 'workspace_view', id, label: name },
    detail: { search },
  })

export const presentView = ({ createdAt, search, ...view }: WorkspaceView): ViewBody => ({
  ...view,
  // Only this API writes it, after the same schema.
  search: search as ViewBody['search'],
  createdAt: createdAt.toISOString(),
})
