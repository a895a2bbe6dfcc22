import { sealBuilt, type BuiltArtifact } from '../../app/artifacts/seal-built.ts'
import type { HookFile } from '../../domain/pipelines/release-changes.ts'
import { valuesOfPipeline } from '../../app/pipelines/values-of-pipeline.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { artifacts } from '../../store/runs/artifacts.ts'
import { releaseHooks } from '../../store/runs/release-hooks.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import { lockApplication } from '../../store/runs/move-application.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { ownerOfApplication } from './application-owner.ts'
import { assertBuildable } from './assert-buildable.ts'
import { beginAttempt, type Attempt } from './begin-attempt.ts'
import { restoreCaches, saveCaches } from './build-caches.ts'
import { noteUndescribed } from './describe-artifact.ts'
import { endAttempt } from './end-attempt.ts'
import { packBuilt, type PackedBuild } from './pack-built.ts'
import { readManifest } from './read-manifest.ts'
import { runSteps } from './run-steps.ts'
import { withSource, type OpenedSource } from './with-source.ts'
import { withinBuildShare, type HandedBack } from './within-build-share.ts'

type Needed = Pick<
  Deps,
  'store' | 'keyring' | 'outbound' | 'changes' | 'stopping' | 'builds' | 'runners'
>

/**
 * Builds the commit of a run by its manifest, and keeps what it made. A build changes nothing outside, so a
 * lost one is repeated, from the commit on. The first attempt that ends writes the artifact's row.
 */
export const buildArtifact =
  (deps: Needed) =>
  async ({ runId }: ApplicationRunInput): Promise<HandedBack | undefined> => {
    const place = { organizationId: await ownerOfApplication(deps, runId), runId }
    const isBuilt = async () =>
      deps.store.tenant(place.organizationId, async (tenant) => artifacts(tenant).find(runId))
    return withinBuildShare(deps, place, async () => {
      // Delivered again after its end was lost.
      if (await isBuilt()) return
      const attempt = await beginAttempt(deps, place, 'build')
      if (!attempt) return
      try {
        await buildOnce(deps, attempt)
      } catch (error) {
        await endAttempt(deps, attempt, error)
      } finally {
        attempt.watch.close()
        await attempt.mask.close()
      }
    })
  }

async function buildOnce(deps: Needed, attempt: Attempt): Promise<void> {
  const { organizationId } = attempt
  const built = await withSource(deps, attempt, async (opened) => {
    const { manifest, sha256: manifestSha256 } = await readManifest(opened)
    const { pipelineId } = attempt.source
    const given = await deps.store.tenant(organizationId, async (tenant) => ({
      buildNetwork: (await organizationSettings(tenant)).buildNetwork,
      values: await valuesOfPipeline(deps, tenant, { pipelineId, phase: 'build' }),
    }))
    const plan = assertBuildable(manifest.build, { ...given, limits: deps.builds.limits })
    attempt.secrets.push(...plan.secrets.map(({ value }) => value))
    const caches = await restoreCaches(deps, attempt, { opened, caches: manifest.build.cache })
    await runSteps(deps, attempt, { opened, plan })
    const packed = await packBuilt(deps, attempt, { opened, manifest })
    await saveCaches(deps, attempt, { opened, caches })
    const artifact = builtOf(attempt, { opened, packed, manifestSha256, variables: given.values })
    return { artifact, hooks: packed.hooks }
  })
  await retryWhileUnavailable(async () => keep(deps, attempt, built))
  await retryWhileUnavailable(async () => noteUndescribed(deps, attempt))
}

type Built = {
  opened: OpenedSource
  packed: PackedBuild
  manifestSha256: string
  variables: ReadonlyArray<{ key: string }>
}

/** All of it as this worker has seen it: what the store says of it is not believed when it is signed. */
function builtOf(
  { source, connection }: Attempt,
  { opened, packed, manifestSha256, variables }: Built,
): BuiltArtifact {
  const { digest, contentDigest, sizeBytes, entries } = packed
  return {
    digest,
    contentDigest,
    sizeBytes,
    entries,
    commitSha: opened.commit.sha,
    manifestSha256,
    repository: [connection?.origin, source.repository].filter(Boolean).join('/'),
    branch: opened.branch,
    path: source.folder,
    variables: variables.map(({ key }) => key),
  }
}

/** The first attempt that gets here says which artifact the run has. */
async function keep(
  deps: Pick<Deps, 'store' | 'keyring'>,
  { organizationId, runId, source }: Attempt,
  { artifact, hooks }: { artifact: BuiltArtifact; hooks: readonly HookFile[] },
): Promise<void> {
  const { digest, contentDigest, sizeBytes, entries } = artifact
  const built = sealBuilt(deps.keyring, { organizationId, runId }, artifact)
  await deps.store.tenant(organizationId, async (tenant) => {
    // Locked, so that the run is not canceled beside it.
    if ((await lockApplication(tenant, runId)).phase !== 'building') return
    const row = { digest, contentDigest, sizeBytes, entries, built }
    if (!(await artifacts(tenant).add(runId, row))) return
    await releaseHooks(tenant).add(runId, hooks)
    await auditLog(tenant, systemActor).record('pipeline.artifact_stored', {
      target: { kind: 'run', id: runId },
      detail: { digest, sizeBytes, entries },
    })
    await logLines(tenant).append(source.stageIds.build, [
      { level: 'info', line: `Artifact ${digest}, ${entries} entries, ${sizeBytes} bytes.` },
    ])
  })
}
