import type { Tenant } from '../../store/driver/tenant.ts'
import type { Static } from 'typebox'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import type { ListedPipeline } from '../../store/pipelines/listed-pipelines.ts'
import type { Pipeline } from '../../store/pipelines/pipelines.ts'
import { namesOfWorkspaces } from '../../store/workspaces/names-of-workspaces.ts'
import { presentLastRun } from '../runs/present-last-run.ts'
import type { PipelineBody } from './schemas.ts'

type Presented = Static<typeof PipelineBody>

/** What a pipeline of an application has beside the other kind. */
function presentSettings(
  settings: ListedPipeline['settings'],
): Pick<
  Presented,
  | 'appPath'
  | 'appBranch'
  | 'triggers'
  | 'webhook'
  | 'rollbackApproval'
  | 'sbom'
  | 'agentWaitMinutes'
> {
  return {
    appPath: settings?.appPath ?? null,
    appBranch: settings?.appBranch ?? null,
    triggers: settings && {
      push: settings.triggerPush,
      paths: settings.triggerPaths,
      tags: settings.triggerTags,
    },
    webhook: settings && { state: settings.webhookState, reason: settings.webhookReason },
    rollbackApproval: settings?.rollbackApproval ?? null,
    sbom: settings?.sbom ?? null,
    agentWaitMinutes: settings?.agentWaitMinutes ?? null,
  }
}

/** A row of the list of pipelines. */
export const presentListed = (row: ListedPipeline): Static<typeof PipelineBody> => ({
  id: row.id,
  name: row.name,
  labels: row.labels,
  description: row.description,
  kind: row.kind,
  managed: row.managed,
  appGitConnectionId: row.appGitConnectionId,
  appRepo: row.appRepo,
  targetWorkspaceId: row.targetWorkspaceId,
  targetWorkspaceName: row.targetName,
  strategy: row.strategy,
  ...presentSettings(row.settings),
  criticality: row.criticality ?? 'standard',
  lastRun: presentLastRun(row.lastRun),
  createdAt: row.createdAt,
})

/** Pipelines with their target's name and criticality (`standard` without a target) and their newest run. */
export async function presentPipelines(
  tenant: Tenant,
  rows: readonly Pipeline[],
): Promise<Array<Static<typeof PipelineBody>>> {
  const targets = rows.flatMap(({ targetWorkspaceId }) => targetWorkspaceId ?? [])
  const names = await namesOfWorkspaces(tenant, targets)
  const last = await pipelineRuns(tenant).lastOf(rows.map(({ id }) => id))
  return rows.map((row) => {
    const target = names.get(row.targetWorkspaceId ?? 0)
    return {
      id: row.id,
      name: row.name,
      labels: row.labels,
      description: row.description,
      kind: row.kind,
      managed: row.managed,
      appGitConnectionId: row.appGitConnectionId,
      appRepo: row.appRepo,
      targetWorkspaceId: row.targetWorkspaceId,
      targetWorkspaceName: target?.name ?? null,
      strategy: row.strategy,
      ...presentSettings(row.kind === 'application' ? row : null),
      criticality: target?.criticality ?? 'standard',
      lastRun: presentLastRun(last.find(({ pipelineId }) => pipelineId === row.id)),
      createdAt: row.createdAt.toISOString(),
    }
  })
}
