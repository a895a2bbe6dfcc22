import { hasTrigger } from '../../domain/pipelines/application-settings.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import type { RowsOfRepository } from '../../store/git/rows-of-repository.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { promotions } from '../../store/runs/promotions.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { startPipelineWebhook } from './start-webhook.ts'

/**
 * Gives a connection's repository the name that its host has for it by now, also in what is built or read from it:
 * deliveries name it so, and the former name may be another repository's one day. The repository is the same, so
 * no approval is void and nobody becomes an author. `rows` are locked (store/git/rows-of-repository.ts).
 */
export async function renameRepository(
  tenant: Tenant,
  { connectionId, from, to, rows }: Renamed,
): Promise<void> {
  await gitConnections(tenant).update(connectionId, { defaultRepo: to })
  await auditLog(tenant, systemActor).record('git.connection_default_set', {
    target: { kind: 'git_connection', id: connectionId, label: to },
    detail: { repo: { from, to } },
  })
  for (const id of rows.workspaceIds) await renameInWorkspace(tenant, id, to)
  for (const id of rows.pipelineIds) await renameInPipeline(tenant, id, to)
  await promotions(tenant).renameSource(connectionId, { from, to })
}

type Renamed = { connectionId: number; from: string; to: string; rows: RowsOfRepository }

async function renameInWorkspace(tenant: Tenant, id: number, to: string): Promise<void> {
  const { source: before } = await workspaces(tenant).get(id)
  const { name, source } = await workspaces(tenant).update(id, { source: { ...before, repo: to } })
  await auditLog(tenant, systemActor).record('workspace.updated', {
    target: { kind: 'workspace', id, label: name },
    detail: { source: { from: before, to: source } },
  })
}

async function renameInPipeline(tenant: Tenant, id: number, to: string): Promise<void> {
  const { appRepo: from } = await pipelines(tenant).get(id)
  const pipeline = await pipelines(tenant).update(id, { appRepo: to })
  // A registration under way finds no pipeline of the former name to store its outcome in.
  if (hasTrigger(pipeline) && pipeline.webhookState === 'pending')
    await startPipelineWebhook(tenant, pipeline)
  await auditLog(tenant, systemActor).record('pipeline.updated', {
    target: { kind: 'pipeline', id, label: pipeline.name },
    detail: { appRepo: { from, to } },
  })
}
