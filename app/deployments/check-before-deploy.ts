import type { Strategy } from '../../domain/manifest/resolve-strategy.ts'
import type { RunReason } from '../../domain/runs/run-state.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { releaseApprovals } from '../../store/runs/release-approvals.ts'
import { releases, type Release } from '../../store/runs/releases.ts'
import { lacksRequiredSbom } from '../artifacts/lacks-required-sbom.ts'
import { approvalOfRelease } from '../runs/approval-of-release.ts'
import { digestOfRelease } from '../runs/digest-of-release.ts'
import { endApplicationRun } from '../runs/end-application-run.ts'
import { waitForSecondPerson } from '../runs/wait-for-second-person.ts'
import type { HookOutputs } from './hook-outputs.ts'

export type CheckedRelease = Release & { targetWorkspaceId: number; strategy: Strategy }

/**
 * The last look before a deployment: that the release is what was approved, by somebody who may still
 * approve it, and with the outputs that the target had then; that it has the bill of materials that its pipeline
 * requires by now; and that no newer one was deployed meanwhile. Undefined where the run ended or waits again.
 * The caller holds the pipeline's row.
 */
export async function checkBeforeDeploy(
  tenant: Tenant,
  release: Release,
  outputs: Pick<HookOutputs, 'holdFor'>,
): Promise<CheckedRelease | undefined> {
  const { targetWorkspaceId, resolvedStrategy: strategy, rollbackOf, number, pipelineId } = release
  if (targetWorkspaceId === null || !strategy)
    return end(tenant, release, ['deploy_errored', 'The target of this run is gone.'])
  if (release.artifactDigest === null)
    return end(tenant, release, ['deploy_errored', 'The artifact of this run is gone.'])
  const pipeline = await pipelines(tenant).get(pipelineId)
  if (await lacksRequiredSbom(tenant, { pipeline, artifactRunId: release.artifactRunId }))
    return end(tenant, release, [
      'deploy_errored',
      'The pipeline requires a bill of materials, and the artifact of this run has none. Build its commit again.',
    ])
  const newest = await releases(tenant).newestDeployed(pipelineId, targetWorkspaceId)
  if (rollbackOf === null && newest > number)
    return end(tenant, release, [
      'superseded',
      'A newer run of this pipeline was deployed meanwhile. Use a rollback to go back.',
    ])
  const digest = await digestOfRelease(tenant, { ...release, strategy })
  if (digest !== release.releaseDigest)
    return end(tenant, release, [
      'plan_stale',
      'What would be deployed changed after this run was made: its variables, or its target. Start a new run.',
    ])
  const checked = { ...release, targetWorkspaceId, strategy }
  const fault = await faultOfApproval(tenant, checked, outputs)
  if (fault === undefined) return checked
  await releaseApprovals(tenant).voidStanding(release.runId, fault)
  await waitForSecondPerson(tenant, { ...release, actor: systemActor, because: fault })
  return undefined
}

async function end(
  tenant: Tenant,
  { runId }: Release,
  [reason, message]: [RunReason, string],
): Promise<undefined> {
  await endApplicationRun(
    tenant,
    { runId, actor: systemActor, from: ['deploy_queued'] },
    { phase: reason === 'superseded' ? 'canceled' : 'failed', reason, message },
  )
  return undefined
}

const otherOutputs = 'outputs: those of the target are others than at the approval'

/** Why a production release needs an approval again; undefined where it has one, or needs none. */
async function faultOfApproval(
  tenant: Tenant,
  release: CheckedRelease,
  outputs: Pick<HookOutputs, 'holdFor'>,
): Promise<string | undefined> {
  const { runId, criticality, approvedBefore, releaseDigest } = release
  if (criticality !== 'production' || release.strategy.kind === 'workspace') return undefined
  if (approvedBefore !== null) {
    const earlier = await approvalOfRelease(tenant, release)
    if (earlier && outputs.holdFor(earlier)) return undefined
    await releases(tenant).setApprovedBefore(runId, null)
    return earlier ? otherOutputs : 'approval: the earlier one does not hold for this rollback'
  }
  const standing = await releaseApprovals(tenant).standing(runId)
  if (standing?.decision !== 'approved') return 'criticality: the target is a production workspace'
  if (standing.planDigest !== releaseDigest) return 'approval: it is of another release'
  if (!outputs.holdFor(standing)) return otherOutputs
  const fault = await approvers(tenant).faultOfGiver({ workspaceRunId: runId, ...standing })
  return fault && `approver: ${fault}`
}
