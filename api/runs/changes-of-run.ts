import { setImmediate as others } from 'node:timers/promises'
import type { Static } from 'typebox'
import { diffsWithin } from '../../domain/git/unified-diff.ts'
import { manifestPath } from '../../domain/manifest/starters.ts'
import {
  changesOfHooks,
  textChangesBy,
  type HookChange,
} from '../../domain/pipelines/release-changes.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { comparedReleases, type ComparedRelease } from '../../store/runs/compared-release.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { releaseHooks } from '../../store/runs/release-hooks.ts'
import { notMade } from '../artifacts/find-artifact.ts'
import type { ChangesBody } from './release-schemas.ts'

/**
 * Of manifest and four hooks together. Whoever may push writes both sides of each, and can make every comparison slow:
 * what is left to compare then has no diff, and a hook is shown whole.
 */
const maxCompareMs = 40

/** What a release changes in manifest and hooks, against the one that runs now: for who approves it. */
export async function changesOfRun(
  tenant: Tenant,
  { id, runId }: { id: number; runId: number },
): Promise<Static<typeof ChangesBody>> {
  await pipelineRuns(tenant).get(id, runId)
  const compared = await comparedReleases(tenant, runId)
  if (!compared || compared.after.manifest === null) throw notMade()
  const { after, before } = compared
  // No release runs: all of this one's hooks are new.
  const hooksBefore = before === null ? [] : await hooksOf(tenant, before)
  const compare = diffsWithin(maxCompareMs)
  const manifest = textChangesBy(compare)(manifestPath, before?.manifest ?? null, after.manifest)
  const hooks: HookChange[] = []
  for (const hook of changesOfHooks(hooksBefore, await hooksOf(tenant, after), compare)) {
    // A comparison takes up to 20 ms.
    await others()
    hooks.push(hook)
  }
  return {
    from: before && {
      runId: before.runId,
      number: before.number,
      commitSha: before.commitSha,
    },
    manifest: { path: manifestPath, ...manifest },
    hooks,
  }
}

const hooksOf = async (tenant: Tenant, { artifactRunId, hasHooks }: ComparedRelease) =>
  hasHooks ? releaseHooks(tenant).of(artifactRunId) : undefined
