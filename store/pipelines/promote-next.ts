import { organizationRunLimit } from '../../domain/pipelines/run-state.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { infrastructureRunId, infrastructureRunType } from '../../workflows/pipelines/contract.ts'
import type { Db } from '../connect.ts'
import { isActive } from '../organizations/is-active.ts'
import { outbox } from '../outbox/outbox.ts'
import { parkUnseen } from './park-unseen.ts'
import { pipelineRuns } from './pipeline-runs.ts'
import { stages } from './stages.ts'
import { workspaceLocks } from '../workspaces/workspace-locks.ts'
import { workspaceRuns, type WorkspaceRun } from './workspace-runs.ts'
import { workspaces } from '../workspaces/workspaces.ts'

/**
 * Gives the workspace's turn to its oldest queued run, if the turn is free, nobody holds the lock
 * and the organization has a place. The caller holds the workspace's row, so that of two
 * transactions that end runs concurrently one promotes.
 */
export async function promoteNext(db: Db, organizationId: number, workspaceId: number) {
  const runs = workspaceRuns(db, organizationId)
  if (await runs.holderOfTurn(workspaceId)) return
  if (await workspaceLocks(db, organizationId).find(workspaceId)) return
  // A run that must wait for a second person first does not block the runs behind it.
  for (;;) {
    const run = await runs.oldestQueued(workspaceId)
    if (!run || !(await parkUnseen(db, organizationId, run))) {
      if (run) await beginSeen(db, organizationId, run)
      return
    }
  }
}

/** Starts a queued run that needs no turn, unless somebody must look at its files first. */
export async function beginRun(
  db: Db,
  organizationId: number,
  run: WorkspaceRun,
): Promise<boolean> {
  if (await parkUnseen(db, organizationId, run)) return false
  return beginSeen(db, organizationId, run)
}

/** Moves a queued run to `planning` and queues its workflow. False if the organization has no free place. */
async function beginSeen(db: Db, organizationId: number, run: WorkspaceRun): Promise<boolean> {
  if (!(await hasPlace(db, organizationId))) return false
  const moved = await workspaceRuns(db, organizationId).move(run.id, ['queued'], {
    phase: 'planning',
    startedAt: new Date(),
  })
  if (!moved) return false
  await stages(db, organizationId).begin(run.id, 'plan')
  await requestStart(db, organizationId, run)
  return true
}

/** Queues the start of the run's workflow. `again` makes a later start distinct from the first. */
export async function requestStart(
  db: Db,
  organizationId: number,
  run: Pick<WorkspaceRun, 'id' | 'workspaceId' | 'kind'> & { again?: string },
): Promise<void> {
  const { name } = await workspaces(db, organizationId).get(run.workspaceId)
  const [place] = await pipelineRuns(db, organizationId).ofWorkspaceRuns([run.id])
  const workflowId = infrastructureRunId({ organizationId, runId: run.id })
  await outbox(db, organizationId).start({
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

/** False for a suspended organization, and at its limit of concurrent runs. */
async function hasPlace(db: Db, organizationId: number): Promise<boolean> {
  if (!(await isActive(db, organizationId))) return false
  return (await workspaceRuns(db, organizationId).countWorking()) < organizationRunLimit
}
