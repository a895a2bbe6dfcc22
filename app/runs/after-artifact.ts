import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { noSuchStrategy } from '../../domain/manifest/strategy-names.ts'
import { resolveStrategy, type Strategy } from '../../domain/manifest/resolve-strategy.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { lockApplication } from '../../store/runs/move-application.ts'
import { releases, type Release } from '../../store/runs/releases.ts'
import { approvalBefore } from './approval-before.ts'
import { digestOfRelease } from './digest-of-release.ts'
import { endApplicationRun } from './end-application-run.ts'
import { letDeploy } from './let-deploy.ts'
import { supersedeOlder } from './supersede-runs.ts'
import { waitForSecondPerson } from './wait-for-second-person.ts'

/**
 * What follows once a run has its artifact, in the transaction that stores it, or that starts a promotion
 * or a rollback. Without a target the run ends; a production one waits for a second person before anything
 * is sent; otherwise its deployment is next. Does nothing for a run that is past this.
 */
export async function afterArtifact(tenant: Tenant, runId: number): Promise<void> {
  const rows = releases(tenant)
  await rows.holdPipeline(await rows.pipelineOf(runId))
  const { phase } = await lockApplication(tenant, runId)
  if (phase !== 'building' && phase !== 'queued') return
  const release = await rows.get(runId)
  const { targetWorkspaceId } = release
  if (targetWorkspaceId === null) return end(tenant, release, { isReleased: true })
  const isOld =
    release.rollbackOf === null &&
    (await rows.newestDeployed(release.pipelineId, targetWorkspaceId)) > release.number
  if (isOld) return end(tenant, release, { isReleased: false })
  const strategy = await strategyOf(tenant, release)
  if (!strategy) return
  const releaseDigest = await digestOfRelease(tenant, { ...release, strategy })
  await rows.note(runId, { strategy, digest: releaseDigest })
  await supersedeOlder(tenant, { pipelineId: release.pipelineId, runId })
  // A run of the workspace has an approval of its own.
  if (release.criticality !== 'production' || strategy.kind === 'workspace')
    return letDeploy(tenant, { runId, from: phase })
  const approvedBefore = await approvalBefore(tenant, { ...release, targetWorkspaceId, strategy })
  if (approvedBefore === undefined)
    return waitForSecondPerson(tenant, { ...release, phase, releaseDigest, actor: systemActor })
  await rows.setApprovedBefore(runId, approvedBefore)
  await letDeploy(tenant, { runId, from: phase, by: 'approved_before' })
}

async function end(
  tenant: Tenant,
  { runId, phase }: Release,
  { isReleased }: { isReleased: boolean },
): Promise<void> {
  await endApplicationRun(
    tenant,
    { runId, actor: systemActor, from: [phase] },
    isReleased
      ? { phase: 'succeeded', by: 'release' }
      : {
          phase: 'canceled',
          reason: 'superseded',
          message:
            'A newer run of this pipeline was deployed meanwhile. Use a rollback to go back.',
        },
  )
}

/** Undefined, and the run has ended, where no strategy has the name. */
async function strategyOf(tenant: Tenant, release: Release): Promise<Strategy | undefined> {
  const { manifest } = checkManifest(release.manifest ?? '')
  const strategy = manifest && resolveStrategy(release.strategyLabel, manifest.deploy)
  if (strategy) return strategy
  await endApplicationRun(
    tenant,
    { runId: release.runId, actor: systemActor, from: [release.phase] },
    {
      phase: 'failed',
      reason: 'source_errored',
      message: manifest
        ? noSuchStrategy(release.strategyLabel ?? '', manifest.deploy?.strategies)
        : 'The manifest of this release cannot be read any more.',
    },
  )
  return undefined
}
