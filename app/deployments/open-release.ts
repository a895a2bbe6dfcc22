import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { ofHosts } from '../../domain/manifest/resolve-strategy.ts'
import { batchSizes } from '../../domain/pipelines/batches.ts'
import { planRelease } from '../../domain/pipelines/release-plan.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { deploymentHosts } from '../../store/deployments/deployment-hosts.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { lockApplication, moveApplication } from '../../store/runs/move-application.ts'
import { releases, type Release } from '../../store/runs/releases.ts'
import type { SigningKey } from '../signing/ensure-signing-key.ts'
import { checkBeforeDeploy, type CheckedRelease } from './check-before-deploy.ts'
import { endIfChanged } from './end-if-changed.ts'
import type { HookOutputs } from './hook-outputs.ts'
import { sayOfDeployment } from './say-of-deployment.ts'
import { sealVariables } from './seal-variables.ts'
import { signOrder } from './sign-order.ts'

export type Opened = 'opened' | 'not_due' | 'wait_for_other'

/**
 * Begins the deployment of a run that may be deployed: looks at everything once more, chooses its hosts,
 * and takes the one right of its pipeline to deploy. All in one transaction, under the pipeline's lock.
 */
export async function openRelease(
  deps: { keyring: Keyring; key: SigningKey },
  tenant: Tenant,
  { runId, outputs }: { runId: number; outputs: HookOutputs },
): Promise<Opened> {
  const rows = releases(tenant)
  await rows.holdPipeline(await rows.pipelineOf(runId))
  const { phase } = await lockApplication(tenant, runId)
  if (phase !== 'deploy_queued') return 'not_due'
  const release = await checkBeforeDeploy(tenant, await rows.get(runId), outputs)
  if (!release) return 'not_due'
  // The one under way is never cut. Its end wakes this run.
  if (await deployments(tenant).isLive(release.pipelineId)) return 'wait_for_other'
  if (await endIfChanged(deps, tenant, release)) return 'not_due'
  await begin(deps, tenant, { ...release, outputs: outputs.outputs })
  return 'opened'
}

async function begin(
  { keyring, key }: { keyring: Keyring; key: SigningKey },
  tenant: Tenant,
  release: CheckedRelease & { outputs: Record<string, string> },
): Promise<void> {
  const { runId, pipelineId, targetWorkspaceId: workspaceId, artifactRunId } = release
  const strategy = ofHosts(release.strategy)
  const plan = planRelease(checkManifest(release.manifest ?? '').manifest?.deploy)
  const earlier = await releases(tenant).lastGood(pipelineId, workspaceId, { ofHosts: true })
  const opened = await deployments(tenant).open({
    pipelineRunId: runId,
    pipelineId,
    workspaceId,
    strategy,
    artifactRunId,
    earlierRunId: earlier?.runId ?? null,
    hooks: plan.hooks,
    probe: plan.probe,
    labels: plan.labels,
    keep: keepOn(plan.keep, await deployments(tenant).heldByBlueGreen({ pipelineId, workspaceId })),
    outputs: release.outputs,
    variables: await sealVariables(tenant, { keyring, pipelineId, runId }),
    agentWaitMinutes: release.agentWaitMinutes,
  })
  if (!opened) throw new Error('two runs of a pipeline would deploy at once')
  await signOrder({ keyring, key }, tenant, runId)
  // Of one that began before there were orders; its hosts would refuse to go back to it.
  if (earlier) await signOrder({ keyring, key }, tenant, earlier.runId)
  const hosts = deploymentHosts(tenant)
  await hosts.forgetOlder(pipelineId, workspaceId)
  const online = await hosts.add(runId, { workspaceId, labels: plan.labels })
  await deployments(tenant).setBatches(runId, {
    batch: 0,
    batches: strategy.kind === 'blue-green' ? 2 : batchSizes(strategy, online).length,
  })
  await moveApplication(tenant, runId, { from: 'deploy_queued', to: 'deploying' })
  await auditLog(tenant, systemActor).record('pipeline.deploy_started', {
    target: { kind: 'run', id: runId, label: release.pipelineName },
    detail: { pipelineId, workspaceId, planDigest: release.releaseDigest, hosts: online },
  })
  await sayOfDeployment(tenant, runId, firstLines(release, { online, earlier: earlier?.runId }))
}

/**
 * Releases that stay on a host: those of the manifest, and each that a blue-green deployment has replaced within its
 * `keepOld`, beside the one that runs and the one that comes.
 */
const keepOn = (keep: number, held: number): number =>
  held === 0 ? keep : Math.min(20, Math.max(keep, held + 2))

function firstLines(
  { strategy, targetName, agentWaitMinutes }: Release & CheckedRelease,
  { online, earlier }: { online: number; earlier: number | undefined },
): string[] {
  const where = targetName ?? 'the target'
  return [
    online === 0
      ? `No agent of ${where} that this release is for is online. Waiting for one, at most ${agentWaitMinutes} minutes.`
      : `Deploying to ${online} ${online === 1 ? 'host' : 'hosts'} of ${where}, ${strategy.kind}.`,
    earlier === undefined
      ? 'There is no earlier release to go back to.'
      : `Hosts go back to the release of run id ${earlier} if this one fails.`,
  ]
}
