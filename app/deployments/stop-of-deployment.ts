import { deployments, type DeploymentRow } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { releaseApprovals } from '../../store/runs/release-approvals.ts'
import { releases } from '../../store/runs/releases.ts'
import { sayOfDeployment } from './say-of-deployment.ts'

/**
 * Why a deployment stops. A rollback by hand brings every host to its own release, so nothing goes back by
 * itself; once that rollback is over without a deployment, or waits for an approval, it is as if this one
 * was canceled, or hosts would stay mixed.
 */
export async function stopOfDeployment(
  tenant: Tenant,
  { stop, pipelineId, pipelineRunId }: DeploymentRow,
): Promise<DeploymentRow['stop']> {
  if (stop !== 'replaced') return stop
  const live = await releases(tenant).live(pipelineId)
  const isReplaced = live.some(
    ({ runId, isRollback, phase }) =>
      runId !== pipelineRunId &&
      isRollback &&
      (phase === 'deploy_queued' || phase === 'deploying' || phase === 'rolling_back'),
  )
  return isReplaced ? 'replaced' : 'canceled'
}

/**
 * Stops a deployment that waits for its first agent, if its target became a production workspace and nobody
 * approved it: so far nothing was sent. True if it is stopped by that.
 */
export async function stopUnapproved(tenant: Tenant, runId: number): Promise<boolean> {
  const { criticality, approvedBefore, releaseDigest } = await releases(tenant).get(runId)
  // An earlier approval was looked at when the deployment began, and goes with a change of its guards.
  if (criticality !== 'production' || approvedBefore !== null) return false
  const standing = await releaseApprovals(tenant).standing(runId)
  if (standing?.decision === 'approved' && standing.planDigest === releaseDigest) return false
  await deployments(tenant).requestStop(runId, 'canceled')
  await sayOfDeployment(tenant, runId, {
    level: 'error',
    lines: [
      'The target is a production workspace now, and nobody approved this release. Start a new run.',
    ],
  })
  return true
}
