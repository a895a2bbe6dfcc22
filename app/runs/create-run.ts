import type { Tenant } from '../../store/driver/tenant.ts'
import { notFound } from '../../domain/errors.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import { queueHydrationForRun } from '../git/queue-hydration.ts'
import type { ConfigurationVersion } from '../../store/workspaces/configuration-versions.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import type { SealedOverrides } from '../workspaces/seal-overrides.ts'
import { beginRun, promoteNext } from './promote-next.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'

export type RunCreation = {
  /** The caller holds its row lock. */
  workspace: Workspace
  version: Pick<ConfigurationVersion, 'id'>
  kind: 'apply' | 'plan'
  destroy?: boolean
  /** Whether the plan waits for a confirmation, whatever its workspace says. */
  confirm?: boolean
  /** What the member who starts the run says about it. */
  startMessage?: string | null
  overrides?: SealedOverrides | null
  /** Who wrote them, beside who starts the run. */
  overridesBy?: number[]
  origin: RunOrigin
  /** The deployment that the run carries out. */
  deploymentId?: number
  /** The member who started the run. */
  author: { userId: number; tokenId: number | null } | null
  /** The pipeline that the run was started through, if it is not the workspace's own. */
  pipelineId?: number | undefined
  /** The run that it repeats. */
  rerunOf?: number
  actor: AuditActor
}

export type CreatedRun = {
  run: WorkspaceRun
  place: { id: number; number: number | null; workspaceRunId: number }
}

/**
 * Creates a run with its stages, its place in each pipeline, its audit entry, its turn and its
 * outbox row, all in the caller's transaction.
 */
export async function createRun(tenant: Tenant, creation: RunCreation): Promise<CreatedRun> {
  const { workspace, version, kind, destroy = false, overrides = null, author } = creation
  const run = await workspaceRuns(tenant).create({
    workspaceId: workspace.id,
    kind,
    destroy,
    configurationVersionId: version.id,
    origin: creation.origin,
    authorUserId: author?.userId ?? null,
    authorTokenId: author?.tokenId ?? null,
    ...overrides,
    overridesBy: creation.overridesBy ?? [],
    confirm: creation.confirm ?? false,
    startMessage: creation.startMessage ?? null,
  })
  // Before anybody is told of the run: who may approve it depends on what it deploys.
  if (creation.deploymentId !== undefined)
    await deployments(tenant).setWorkspaceRun(creation.deploymentId, run.id)
  const names = kind === 'apply' ? ['plan', 'approve', 'apply'] : ['plan']
  // Independent of each other, so they are sent together.
  const [place] = await Promise.all([
    placeRun(tenant, { run, pipelineId: creation.pipelineId }),
    stages(tenant).create(run.id, names),
  ])
  await auditLog(tenant, creation.actor).record('pipeline.run_started', {
    target: { kind: 'run', id: run.id, label: workspace.name },
    detail: {
      workspaceId: workspace.id,
      kind,
      number: place.number,
      ...(destroy && { destroy }),
      ...(creation.confirm && { confirm: true }),
      ...(creation.rerunOf !== undefined && { rerunOf: creation.rerunOf }),
      ...(creation.startMessage && { message: creation.startMessage }),
    },
  })
  if (kind === 'apply') await queueHydrationForRun(tenant, run)
  if (kind === 'apply') await promoteNext(tenant, workspace.id)
  else await beginRun(tenant, run)
  return { run, place }
}

/** Gives the run its place in `provision-<workspace>`, and a second one if another pipeline started it. */
async function placeRun(
  tenant: Tenant,
  { run, pipelineId }: { run: WorkspaceRun; pipelineId: number | undefined },
): Promise<CreatedRun['place']> {
  if (run.kind === 'plan') return { id: run.id, number: null, workspaceRunId: run.id }
  const places = pipelineRuns(tenant)
  const own = await places.create(run)
  if (!own) throw new Error('a workspace has lost its pipeline')
  if (pipelineId === undefined || pipelineId === own.pipelineId) return own
  const other = await places.create(run, pipelineId)
  if (!other) throw notFound()
  return other
}
