import { AppError } from '../../domain/errors.ts'
import { refuseOverrides } from '../../domain/workspaces/variable-bounds.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { lockApplication, moveApplication } from '../../store/runs/move-application.ts'
import { releases } from '../../store/runs/releases.ts'
import type { WorkspaceRunPlace } from '../../store/runs/pipeline-runs.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import { createRun } from '../runs/create-run.ts'
import { endApplicationRun } from '../runs/end-application-run.ts'
import { movedCodes, versionOfRun } from '../runs/version-of-run.ts'
import { sealOverrides, type SealedOverrides } from '../workspaces/seal-overrides.ts'
import { readGitSource, type Ask, type GitSourceRead } from '../workspaces/read-git-source.ts'
import { checkBeforeDeploy, type CheckedRelease } from './check-before-deploy.ts'
import { endIfChanged } from './end-if-changed.ts'
import { noOutputs } from './hook-outputs.ts'
import type { Opened } from './open-release.ts'
import { releaseAddress, releaseUrlVariable } from './release-address.ts'
import { sayOfDeployment } from './say-of-deployment.ts'

type Needed = { store: Store; keyring: Keyring; outbound: Outbound; publicOrigin: string }
type Place = { organizationId: number; runId: number; workspaceId: number }

const maxReads = 5

/**
 * Begins a deployment that a run of the target workspace carries out. That run, the deployment and the move
 * of the application's run are one transaction, so a repeated activity starts no second run. A target that
 * cannot have a run ends the application's.
 */
export async function openWorkspaceRelease(
  deps: Needed,
  place: Place,
  ask?: Ask,
): Promise<Opened | 'wait_for_source'> {
  const early = await whyNotYet(deps, place)
  if (early) return early
  for (let reads = 1; ; reads += 1)
    try {
      // Outside of any transaction: a Git host may be slow.
      const source = await readGitSource(deps, place, ask)
      return await deps.store.tenant(place.organizationId, async (tenant) =>
        open(deps, tenant, { ...place, source }),
      )
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (movedCodes.has(error.code) && reads < maxReads) continue
      if (error.fault === 'unavailable') return waitForSource(deps, place, error)
      await refuse(deps, place, error)
      return 'not_due'
    }
}

/** Asked before the Git host is, so that a run that waits for another deployment costs its host nothing. */
async function whyNotYet(
  { store }: Needed,
  { organizationId, runId }: Place,
): Promise<'not_due' | 'wait_for_other' | undefined> {
  return store.tenant(organizationId, async (tenant) => {
    const { phase, pipelineId } = await lockApplication(tenant, runId)
    if (phase !== 'deploy_queued') return 'not_due'
    return (await deployments(tenant).isLive(pipelineId)) ? 'wait_for_other' : undefined
  })
}

async function open(
  deps: Needed,
  tenant: Tenant,
  { runId, workspaceId, source }: Place & { source: GitSourceRead | undefined },
): Promise<Opened> {
  const rows = releases(tenant)
  // A workspace is locked before the pipelines that deploy to it, as everywhere.
  const workspace = await workspaces(tenant).getForUpdate(workspaceId)
  await rows.holdPipeline(await rows.pipelineOf(runId))
  const { phase } = await lockApplication(tenant, runId)
  if (phase !== 'deploy_queued') return 'not_due'
  const release = await checkBeforeDeploy(tenant, await rows.get(runId), noOutputs)
  if (!release) return 'not_due'
  if (await deployments(tenant).isLive(release.pipelineId)) return 'wait_for_other'
  if (await endIfChanged(deps, tenant, release)) return 'not_due'
  await begin(deps, tenant, { release, workspace, source })
  return 'opened'
}

async function begin(
  deps: Needed,
  tenant: Tenant,
  at: { release: CheckedRelease; workspace: Workspace; source: GitSourceRead | undefined },
): Promise<void> {
  const { release, workspace, source } = at
  const { runId, pipelineId, pipelineName, number } = release
  const version = await versionOfRun(tenant, deps, { actor: systemActor, workspace, source })
  const opened = await deployments(tenant).open({
    pipelineRunId: runId,
    pipelineId,
    workspaceId: workspace.id,
    strategy: release.strategy,
    artifactRunId: release.artifactRunId,
    // The workspace goes back by a rollback alone: by another run of its own.
    earlierRunId: null,
    hooks: {},
    probe: null,
    labels: {},
    keep: 3,
    outputs: {},
    variables: null,
    agentWaitMinutes: release.agentWaitMinutes,
  })
  if (!opened) throw new Error('two runs of a pipeline would deploy at once')
  const { run, place } = await createRun(tenant, {
    workspace,
    version,
    kind: 'apply',
    startMessage: `Deploys run ${number} of ${pipelineName}`.slice(0, 500),
    overrides: await variablesOf(deps, tenant, release),
    origin: 'deployment',
    deploymentId: runId,
    author: null,
    actor: systemActor,
  })
  await moveApplication(tenant, runId, { from: 'deploy_queued', to: 'deploying' })
  await auditLog(tenant, systemActor).record('pipeline.deploy_started', {
    target: { kind: 'run', id: runId, label: pipelineName },
    detail: {
      pipelineId,
      workspaceId: workspace.id,
      planDigest: release.releaseDigest,
      workspaceRunId: run.id,
    },
  })
  await sayOfDeployment(tenant, runId, [sentence(workspace, place)])
}

const sentence = (
  { name }: Workspace,
  { number }: Pick<WorkspaceRunPlace, 'number'> | { number: null },
) =>
  `Run ${number} of the workspace ${name} deploys this release. Its gates decide, and who approves it.`

async function variablesOf(
  { keyring, publicOrigin }: Needed,
  tenant: Tenant,
  { runId, targetWorkspaceId, artifactDigest, commitSha }: CheckedRelease,
): Promise<SealedOverrides> {
  const { organizationId } = tenant
  const digest = artifactDigest ?? ''
  const variables = {
    cc_release_digest: digest,
    [releaseUrlVariable]: releaseAddress(
      { keyring, publicOrigin },
      { organizationId, runId, digest },
    ),
    cc_release_commit: commitSha ?? '',
  }
  const measured = await workspaceVariables(tenant).measure(targetWorkspaceId)
  const refusal = refuseOverrides(variables, measured)
  if (refusal) throw refusal
  return sealOverrides(keyring, organizationId, variables)
}

/** The Git host of the workspace does not answer. The run waits, and a cancel ends it. */
async function waitForSource(
  { store }: Needed,
  { organizationId, runId }: Place,
  { message }: AppError,
): Promise<'wait_for_source' | 'not_due'> {
  return store.tenant(organizationId, async (tenant) => {
    const { phase } = await lockApplication(tenant, runId)
    if (phase !== 'deploy_queued') return 'not_due'
    await sayOfDeployment(tenant, runId, {
      level: 'warn',
      lines: [`The files of the target workspace cannot be read. ${message}`],
    })
    return 'wait_for_source'
  })
}

async function refuse(
  { store }: Needed,
  { organizationId, runId }: Place,
  { message }: AppError,
): Promise<void> {
  await store.tenant(organizationId, async (tenant) =>
    endApplicationRun(
      tenant,
      { runId, actor: systemActor, from: ['deploy_queued'] },
      {
        phase: 'failed',
        reason: 'deploy_errored',
        message: `No run of the target workspace could be started. ${message}`,
      },
    ),
  )
}
