import type { Tenant } from '../../store/driver/tenant.ts'
import { organizationRunLimit } from '../../domain/runs/run-state.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import {
  infrastructureRunId,
  infrastructureRunType,
} from '../../workflows/infrastructure/contract.ts'
import { roomForRuns } from '../../store/organizations/room-for-runs.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { parkUnseen } from './park-unseen.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { planBegins } from '../../store/runs/stage-moves.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'

/**
 * Gives the workspace's turn to its oldest queued run, if the turn is free, nobody holds the lock
 * and the organization has a place. The caller holds the workspace's row, so that of two
 * transactions that end runs concurrently one promotes.
 */
export async function promoteNext(tenant: Tenant, workspaceId: number) {
  // A run that must wait for a second person first does not block the runs behind it.
  for (;;) {
    const run = await workspaceRuns(tenant).nextInTurn(workspaceId)
    if (!run) return
    const room = await roomForRuns(tenant)
    if (!(await parkUnseen(tenant, run, room.settings))) {
      await beginSeen(tenant, run, room)
      return
    }
  }
}

/** Starts a queued run that needs no turn, unless somebody must look at its files first. */
export async function beginRun(tenant: Tenant, run: WorkspaceRun): Promise<boolean> {
  const room = await roomForRuns(tenant)
  if (await parkUnseen(tenant, run, room.settings)) return false
  return beginSeen(tenant, run, room)
}

/**
 * Moves a queued run to `planning` and queues its workflow. False for a suspended organization, and
 * at its limit of concurrent runs.
 */
async function beginSeen(
  tenant: Tenant,
  run: WorkspaceRun,
  { active, working }: { active: boolean; working: number },
): Promise<boolean> {
  if (!active || working >= organizationRunLimit) return false
  const moved = await workspaceRuns(tenant).moveWithStages(run.id, ['queued'], {
    change: { phase: 'planning', startedAt: new Date() },
    stages: planBegins,
  })
  if (!moved) return false
  await requestStart(tenant, run)
  return true
}

/** Queues the start of the run's workflow. `again` makes a later start distinct from the first. */
export async function requestStart(
  tenant: Tenant,
  run: Pick<WorkspaceRun, 'id' | 'workspaceId' | 'kind'> & { again?: string },
): Promise<void> {
  const { organizationId } = tenant

  const [{ name }, [place]] = await Promise.all([
    workspaces(tenant).get(run.workspaceId),
    pipelineRuns(tenant).ofWorkspaceRuns([run.id]),
  ])
  const workflowId = infrastructureRunId({ organizationId, workspaceRunId: run.id })
  await outbox(tenant).start({
    workflowType: infrastructureRunType,
    workflowId,
    taskQueue: controlQueue,
    input: { runId: run.id },
    summary: `${name}, ${place ? `run ${place.number}, ` : ''}${run.kind}`,
    searchAttributes: {
      OrgId: `org-${organizationId}`,
      RunKind: run.kind,
      WorkspaceId: run.workspaceId,
      ...(place && { PipelineId: place.pipelineId }),
    },
    dedupeKey: `start:${workflowId}${run.again ?? ''}`,
  })
}
