import { startComment } from '../../app/git/start-comment.ts'
import type { RunCreation } from '../../app/runs/create-run.ts'
import { sealOverrides } from '../../app/workspaces/seal-overrides.ts'
import type { Overrides } from '../../app/workspaces/sensitive-overrides.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { refuseOverrides } from '../../domain/workspaces/variable-bounds.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { gitPullRequests } from '../../store/git/git-pull-requests.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { idempotencyKeys } from '../../store/requests/idempotency-keys.ts'
import { placeOfOverrides, runOverrides } from '../../store/runs/run-overrides.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'
import {
  configurationVersions,
  type ConfigurationVersion,
} from '../../store/workspaces/configuration-versions.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { beginWorkspaceRun } from './begin-workspace-run.ts'
import { hashOfRerun, notRerunnable, type RerunOf } from './not-rerunnable.ts'
import type { RunAnswer } from './schemas.ts'

type WorkspaceRerun = {
  of: RerunOf
  workspaceRunId: number
  idempotencyKey: string | undefined
}

/**
 * Starts a run of the same version, kind and options, in the pipeline that the run was addressed through. A
 * newer version is not looked at, and nothing is read from Git.
 */
export async function rerunWorkspaceRun(
  deps: Deps,
  caller: Caller,
  { of, workspaceRunId, idempotencyKey: key }: WorkspaceRerun,
): Promise<RunAnswer> {
  await deps.engine.assertReachable()
  return deps.store.tenant(caller.organizationId, async (tenant) => {
    const keys = idempotencyKeys(tenant)
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      const first = await keys.take(who, key, hashOfRerun(of))
      // Written below, in this shape.
      if (first) return first.response as RunAnswer
    }
    const run = await workspaceRuns(tenant).get(workspaceRunId)
    const workspace = await workspaces(tenant).getForUpdate(run.workspaceId)
    const version = await configurationVersions(tenant).get(run.configurationVersionId)
    await assertRerunnable(tenant, { run, version, of })
    const { kind, destroy, confirm, startMessage } = run
    const answer = await beginWorkspaceRun(tenant, caller, {
      workspace,
      version,
      kind,
      destroy,
      confirm,
      startMessage,
      ...(await overridesFor(deps, tenant, run)),
      pipelineId: of.noun === 'Pipeline' ? of.id : undefined,
      rerunOf: of.runId,
    })
    const { pullRequestId } = version
    if (pullRequestId !== null)
      await startComment(tenant, { pullRequestId, after: `run-${answer.run.id}-begun` })
    if (key !== undefined) await keys.answer(who, key, { status: 201, response: answer })
    return answer
  })
}

async function assertRerunnable(
  tenant: Tenant,
  { run, version, of }: { run: WorkspaceRun; version: ConfigurationVersion; of: RerunOf },
): Promise<void> {
  // Its variables lead to the release of that deployment, which nobody would follow.
  if (run.origin === 'deployment')
    throw notRerunnable(
      'A deployment started this run. Run the run of its application again instead.',
    )
  const { pullRequestId, commitSha } = version
  if (pullRequestId !== null && !(await gitPullRequests(tenant).hasHead(pullRequestId, commitSha)))
    throw notRerunnable(
      'The pull request of this plan has other commits by now, or its Git connection was disconnected. Look at its newest plan.',
    )
  if (of.noun === 'Workspace') return
  const { targetWorkspaceId } = await pipelines(tenant).get(of.id)
  if (targetWorkspaceId !== run.workspaceId)
    throw notRerunnable(
      'This pipeline has another workspace now than this run had. Run it again from its workspace.',
    )
}

/** The values that the run was started with, and who wrote them. What is sensitive by now may be refused, and no value is in the message. */
async function overridesFor(
  { keyring }: Pick<Deps, 'keyring'>,
  tenant: Tenant,
  { id, workspaceId, authorUserId }: WorkspaceRun,
): Promise<Pick<RunCreation, 'overrides' | 'overridesBy'>> {
  const { overrides: sealed, overridesBy } = await runOverrides(tenant).get(id)
  if (!sealed) return {}
  const at = placeOfOverrides(tenant.organizationId)
  // Written by a start, in this shape.
  const vars = JSON.parse(keyring.open(at, sealed).toString()) as Overrides
  const refusal = refuseOverrides(vars, await workspaceVariables(tenant).measure(workspaceId))
  if (refusal) throw notRerunnable(refusal.message)
  const writers = authorUserId === null ? overridesBy : [...overridesBy, authorUserId]
  return {
    overrides: sealOverrides(keyring, tenant.organizationId, vars),
    overridesBy: [...new Set(writers)],
  }
}
