import type { Caller } from '../../domain/access/caller.ts'
import { AppError } from '../../domain/errors.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { findFirstAnswer } from '../../store/requests/idempotency-keys.ts'
import { applicationRunViews, type ApplicationRunView } from '../../store/runs/application-runs.ts'
import { promotions } from '../../store/runs/promotions.ts'
import type { Deps } from '../deps.ts'
import { hashOfRerun, notRerunnable, type RerunOf } from './not-rerunnable.ts'
import { rerunWorkspaceRun } from './rerun-workspace-run.ts'
import { rollBack } from './roll-back.ts'
import type { RunScope } from './run-scope.ts'
import type { RunAnswer } from './schemas.ts'
import { startApplicationRun } from './start-application-run.ts'

export type Rerun = {
  /** The run as it was addressed. */
  of: RerunOf
  place: (tenant: Tenant) => ReturnType<RunScope['place']>
  idempotencyKey: string | undefined
}

/**
 * Starts what a run did again, with the checks of any start. A run of an application is fetched and built
 * again at its commit; one that deployed the artifact of another run deploys it again.
 */
export async function rerunRun(deps: Deps, caller: Caller, rerun: Rerun): Promise<RunAnswer> {
  const { idempotencyKey: key } = rerun
  const found = await deps.store.tenant(caller.organizationId, async (tenant) => {
    const place = await rerun.place(tenant)
    const application = place.workspaceRunId === null ? await viewOf(tenant, place.id) : undefined
    if (key === undefined) return { place, application }
    const requestHash = hashOfRerun(rerun.of)
    const first = await findFirstAnswer(tenant, {
      caller: `user:${caller.userId}`,
      key,
      requestHash,
    })
    return { place, application, first }
  })
  // Written by the first of these requests, in this shape.
  if (found.first) return found.first.response as RunAnswer
  const { place, application } = found
  if (application) return rerunApplicationRun(deps, caller, { run: application, key })
  return rerunWorkspaceRun(deps, caller, { ...rerun, workspaceRunId: place.workspaceRunId ?? 0 })
}

async function viewOf(tenant: Tenant, runId: number): Promise<ApplicationRunView> {
  const [view] = await applicationRunViews(tenant, [runId])
  if (!view) throw new Error('a run of an application has no row of its own')
  const { artifactRunId } = view
  // The run that built it can be deleted with its pipeline. This one names the same artifact.
  if (artifactRunId !== null && !(await promotions(tenant).find(artifactRunId)))
    return { ...view, artifactRunId: runId }
  return view
}

async function rerunApplicationRun(
  deps: Deps,
  caller: Caller,
  { run, key }: { run: ApplicationRunView; key: string | undefined },
): Promise<RunAnswer> {
  const { id, pipelineId, rollbackOf, startMessage, strategy, targetWorkspaceId } = run
  const message = startMessage ?? undefined
  try {
    if (rollbackOf !== null)
      return await rollBack(deps, caller, {
        pipelineId,
        runId: rollbackOf,
        rerun: { of: id },
        ...(message !== undefined && { comment: message }),
        idempotencyKey: key,
      })
    return await startApplicationRun(deps, caller, {
      pipelineId,
      ...sourceOf(run),
      ...(strategy !== null && { strategy }),
      ...(message !== undefined && { message }),
      rerun: { of: id, targetWorkspaceId },
      idempotencyKey: key,
    })
  } catch (error) {
    if (error instanceof AppError && gone.has(error.code)) throw notRerunnable(error.message)
    throw error
  }
}

/** Refusals of a start by which what the run was made of is gone. */
const gone: ReadonlySet<string> = new Set([
  'source_unknown',
  'not_promotable',
  'not_rollbackable',
  'artifact_gone',
])

/** The commit, once the run has found it: its branch or tag may name another one by now. */
function sourceOf({ artifactRunId, commitSha, tag, branch, stages }: ApplicationRunView) {
  if (artifactRunId !== null) return { artifactOf: artifactRunId }
  // Only a run that deploys the artifact of another one skips its source. With that run it was deleted.
  if (stages.some(({ name, state }) => name === 'source' && state === 'skipped'))
    throw notRerunnable('The run that built the artifact was deleted. Start a new run.')
  if (commitSha !== null) return { commit: commitSha }
  if (tag !== null) return { tag }
  return branch === null ? {} : { branch }
}
