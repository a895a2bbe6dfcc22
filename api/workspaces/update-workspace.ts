import type { Tenant } from '../../store/driver/tenant.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../domain/access/caller.ts'
import { checkFolder } from '../../domain/workspaces/configuration-files.ts'
import { guardChanges } from '../../domain/workspaces/guard-changes.ts'
import { assertMayChangeGuard } from '../../domain/workspaces/guard-denied.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { requireSecondPerson } from '../../app/runs/require-second-person.ts'
import { queueHydration } from '../../app/git/queue-hydration.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { configurationVersions } from '../../store/workspaces/configuration-versions.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { isSameLabels } from '../http/labels.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { presentWorkspace } from './present-workspaces.ts'
import { resolveSource, type ResolvedSource } from './resolve-source.ts'
import type { WorkspaceBody, WorkspaceChangeBody } from './schemas.ts'

/** Changes a workspace's settings. Settings that guard its runs need `manage_cloud_accounts`. */
export async function updateWorkspace(
  deps: Deps,
  caller: Caller,
  { id, change }: { id: number; change: WorkspaceChangeBody },
): Promise<WorkspaceBody> {
  return holdWorkspace(deps, { caller, id }, async (tenant, before) => {
    const guards = guardChanges(before, change)
    if (guards.length > 0) assertMayChangeGuard(caller, guards.join(', '))
    const source = await resolveSource(tenant, caller, { asked: change, now: before })
    checkFolder(change.path ?? '')

    const columns = changedColumns(before, change, source)
    const after =
      Object.keys(columns).length === 0 ? before : await workspaces(tenant).update(id, columns)
    if (after !== before) await note(tenant, caller, { before, after, guards })
    if (after.criticality === 'production' && before.criticality !== 'production')
      await requireSecondPerson(tenant, after, actorOf(caller))
    // With another repository or name, its files belong in another place.
    if (
      after.gitConnectionId !== before.gitConnectionId ||
      after.name !== before.name ||
      after.sourceKind !== before.sourceKind
    )
      await queueNewest(tenant, id)
    return presentWorkspace(tenant, after)
  })
}

/** Only the differences: sending a workspace back unchanged is no change. */
function changedColumns(
  before: Workspace,
  change: WorkspaceChangeBody,
  { sourceKind, source }: ResolvedSource,
) {
  const { name, criticality, path, autoApply, unpriced, confirm, costLimitMonthly: limit } = change
  const { cloudAccountId, gitConnectionId, labels, description } = change
  const newLimit = limit === undefined || limit === null ? limit : String(limit)
  const limitChanged = guardChanges(before, { costLimitMonthly: newLimit }).length > 0
  return {
    ...(name !== undefined && name !== before.name && { name }),
    ...(labels && !isSameLabels(labels, before.labels) && { labels }),
    ...(description !== undefined && description !== before.description && { description }),
    ...(criticality && criticality !== before.criticality && { criticality }),
    ...(path !== undefined && path !== before.path && { path }),
    ...(autoApply !== undefined && autoApply !== before.autoApply && { autoApply }),
    ...(unpriced && unpriced !== before.unpriced && { unpriced }),
    ...(confirm && confirm !== before.confirm && { confirm }),
    ...(cloudAccountId !== undefined &&
      cloudAccountId !== before.cloudAccountId && { cloudAccountId }),
    ...(gitConnectionId !== undefined &&
      gitConnectionId !== before.gitConnectionId && { gitConnectionId }),
    ...(isOther(before, { sourceKind, source }) && { sourceKind, source }),
    ...(limitChanged && newLimit !== undefined && { costLimitMonthly: newLimit }),
  }
}

/** Compares by value: PostgreSQL does not keep the order of a document's fields. */
const isOther = (before: Workspace, now: ResolvedSource) =>
  before.sourceKind !== now.sourceKind || !isDeepStrictEqual(before.source, now.source)

const fields = [
  'name',
  'labels',
  'description',
  'criticality',
  'path',
  'sourceKind',
  'source',
  'autoApply',
  'costLimitMonthly',
  'unpriced',
  'confirm',
  'cloudAccountId',
  'gitConnectionId',
] as const

/** As the workspace is shown: the store's text of an amount has all its decimals. */
function valueOf(workspace: Workspace, field: (typeof fields)[number]) {
  const value = workspace[field]
  return field === 'costLimitMonthly' && value !== null ? Number(value) : value
}

async function queueNewest(tenant: Tenant, id: number): Promise<void> {
  const newest = await configurationVersions(tenant).newest(id)
  if (newest) await queueHydration(tenant, { workspaceId: id, configurationVersionId: newest.id })
}

async function note(
  tenant: Tenant,
  caller: Caller,
  { before, after, guards }: { before: Workspace; after: Workspace; guards: readonly string[] },
): Promise<void> {
  const { id } = after
  if (after.name !== before.name) {
    const pipeline = await pipelines(tenant).managedOf(id)
    await pipelines(tenant).rename(pipeline.id, `provision-${after.name}`)
  }
  const changed = fields.filter(
    (field) => !isDeepStrictEqual(valueOf(after, field), valueOf(before, field)),
  )
  await auditLog(tenant, actorOf(caller)).record('workspace.updated', {
    target: { kind: 'workspace', id, label: after.name },
    detail: Object.fromEntries(
      changed.map((field) => [field, { from: valueOf(before, field), to: valueOf(after, field) }]),
    ),
  })
  if (guards.length > 0)
    await noteChange(tenant, caller, { workspaceId: id, what: guards.join(', '), effect: 'guard' })
  // Its account trusts the plan's runs by the name that it was made under.
  if (after.name !== before.name && before.cloudAccountId !== null)
    await noteChange(tenant, caller, { workspaceId: id, what: 'name', effect: 'stale' })
  if (after.path !== before.path)
    await noteChange(tenant, caller, { workspaceId: id, what: 'path', effect: 'stale' })
  if (isOther(before, after))
    await noteChange(tenant, caller, { workspaceId: id, what: 'source', effect: 'stale' })
}
