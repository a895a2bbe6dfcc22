import { may, type Caller } from '../../domain/access/caller.ts'
import { labelOfPerson } from '../../domain/access/label-of-person.ts'
import { lowestRole } from '../../domain/access/roles.ts'
import type { HostState } from '../../domain/pipelines/deployment.ts'
import { isWaitingForApproval } from '../../domain/runs/run-state.ts'
import type { ApproverFault } from '../../domain/runs/approver-fault.ts'
import { deploymentHosts, type HostCounts } from '../../store/deployments/deployment-hosts.ts'
import { deployments, type DeploymentRow } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { ApplicationRunView } from '../../store/runs/application-runs.ts'
import { approvers } from '../../store/runs/approvers.ts'
import type { LastRun } from '../../store/runs/pipeline-runs.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { users } from '../../store/users/users.ts'
import { previewReleases } from './preview-release.ts'
import type { RunBody } from './schemas.ts'

type DeploymentBody = NonNullable<RunBody['deployment']>

/** What a run of an application shows beside its row. */
export type ShownRelease = {
  deployment: DeploymentBody | null
  /** The step after which its deployment waits for a person. */
  confirmStep: number | null
  warnings: readonly string[]
  /** Why this caller may not approve what waits. */
  fault: ApproverFault | undefined
  /** Who may approve what waits. */
  approvers: string[]
  /** It waits for a first agent: who can add one. */
  agentsOf: string[] | null
  /** The run of the workspace that deploys waits for a decision: who may take it. */
  waitsWith: { workspaceRunId: number; whoCanAct: string[] } | null
}

/** Whether the run waits for a decision. */
export const waitsForPerson = (
  { phase }: Pick<LastRun, 'phase'>,
  { confirmStep }: Pick<ShownRelease, 'confirmStep'>,
): boolean => phase === 'awaiting_approval' || (phase === 'deploying' && confirmStep !== null)

/** Of each run, in a number of statements that does not grow with the page. */
export async function readReleases(
  tenant: Tenant,
  caller: Caller,
  views: readonly ApplicationRunView[],
): Promise<Map<number, ShownRelease>> {
  const ids = views.flatMap(({ id, targetWorkspaceId }) => (targetWorkspaceId === null ? [] : id))
  const rows = await deployments(tenant).ofRuns(ids)
  const counts = await deploymentHosts(tenant).counts(rows.map((row) => row.pipelineRunId))
  const of = (id: number) => rows.find(({ pipelineRunId }) => pipelineRunId === id)
  const previews = await previewReleases(
    tenant,
    views.filter(({ id }) => !of(id)),
  )
  const waiting = views
    .filter((view) => waitsForPerson(view, { confirmStep: of(view.id)?.confirmStep ?? null }))
    .map(({ id }) => id)
  const followed = await waitingRuns(tenant, rows)
  const [faults, able, operators] = await Promise.all([
    may(caller, 'mutate_infra')
      ? approvers(tenant).faultsOfCaller(waiting, caller)
      : new Map<number, ApproverFault | undefined>(),
    approvers(tenant).eligibleOf([...waiting, ...followed]),
    views.some((view) => isWithoutAgent(view, of(view.id), counts)) ? agentOperators(tenant) : [],
  ])
  const whoMay = (id: number) =>
    able.filter(({ workspaceRunId }) => workspaceRunId === id).map(labelOfPerson)
  const waitsWith = (row: DeploymentRow | undefined): ShownRelease['waitsWith'] => {
    const workspaceRunId = row?.workspaceRunId ?? null
    if (workspaceRunId === null || !followed.includes(workspaceRunId)) return null
    return { workspaceRunId, whoCanAct: whoMay(workspaceRunId) }
  }
  const shown = views.map((view) => {
    const row = of(view.id)
    const release: ShownRelease = {
      deployment: row ? presentDeployment(row, counts) : (previews.get(view.id) ?? null),
      confirmStep: row?.confirmStep ?? null,
      warnings: row?.warnings ?? [],
      fault: faults.get(view.id),
      approvers: whoMay(view.id),
      agentsOf: isWithoutAgent(view, row, counts) ? operators : null,
      waitsWith: waitsWith(row),
    }
    return [view.id, release] as const
  })
  return new Map(shown)
}

/** Its deployment has begun, and no host is there to begin with. */
function isWithoutAgent(
  { phase, id }: ApplicationRunView,
  row: DeploymentRow | undefined,
  counts: readonly HostCounts[],
): boolean {
  if (phase !== 'deploying' || row?.strategy.kind === 'workspace') return false
  return counts.every(({ pipelineRunId, state }) => pipelineRunId !== id || state === 'unreachable')
}

/** The runs of workspaces that deploy and wait for a person. */
async function waitingRuns(tenant: Tenant, rows: readonly DeploymentRow[]): Promise<number[]> {
  const ids = rows.flatMap(({ workspaceRunId, endedAt }) =>
    endedAt === null && workspaceRunId !== null ? workspaceRunId : [],
  )
  const runs = await workspaceRuns(tenant).phasesOf(ids)
  return runs.filter(({ phase }) => isWaitingForApproval(phase)).map(({ id }) => id)
}

async function agentOperators(tenant: Tenant): Promise<string[]> {
  const able = await users(tenant).listAble({
    lowest: lowestRole.manage_cloud_accounts,
    platformAdmins: true,
    signedIn: true,
    limit: 20,
  })
  return able.map(labelOfPerson)
}

function presentDeployment(row: DeploymentRow, counts: readonly HostCounts[]): DeploymentBody {
  const own = counts.filter(({ pipelineRunId }) => pipelineRunId === row.pipelineRunId)
  const sum = (...states: HostState[]) =>
    own.reduce((all, { state, count }) => all + (states.includes(state) ? count : 0), 0)
  return {
    strategy: row.strategy.kind,
    batch: row.batch,
    batches: row.batches,
    hosts: {
      total: own.reduce((all, { count }) => all + count, 0),
      pending: sum('pending'),
      // A host that goes back is busy too, and one that is staged waits for the switch.
      updating: sum('updating', 'rolling_back', 'staged'),
      healthy: sum('healthy'),
      failed: sum('failed', 'stuck'),
      rolledBack: sum('rolled_back'),
      unreachable: sum('unreachable'),
    },
    confirm: row.confirmStep,
    rolledBackTo: row.rolledBackTo,
    runId: row.workspaceRunId,
  }
}
