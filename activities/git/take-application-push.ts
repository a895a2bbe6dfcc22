import { setImmediate as others } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Context } from '@temporalio/activity'
import { AppError, unavailable } from '../../domain/errors.ts'
import { fitAny, pathMatcher } from './fit-any.ts'
import { authorsOfCommits } from '../../app/git/authors-of-commits.ts'
import { createPushedRun } from '../../app/runs/create-pushed-run.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import type { GitDelivery } from '../../store/git/git-deliveries.ts'
import { pipelines, type Pipeline } from '../../store/pipelines/pipelines.ts'
import { triggeredRuns } from '../../store/runs/triggered-runs.ts'
import type { Deps } from '../deps.ts'
import { notingRefusals } from './note-refusal.ts'
import type { PushReader } from './read-pushes.ts'

export type ApplicationPush = {
  organizationId: number
  connection: GitConnection
  delivery: GitDelivery
  pipeline: Pipeline
  /** Asks the host each question once, also where many pipelines are built from one repository. */
  reader: PushReader
}

/**
 * One pipeline after the other. Where no tag fits, a host and the store are asked nothing, so others have a turn after
 * each pipeline: an organization may have any number of them. A cancelled activity ends between two.
 */
export async function takeApplicationPushes(
  deps: Deps,
  pipelines: readonly Pipeline[],
  push: Omit<ApplicationPush, 'pipeline'>,
): Promise<void> {
  const { cancellationSignal } = Context.current()
  for (const pipeline of pipelines) {
    cancellationSignal.throwIfAborted()
    await takeApplicationPush(deps, { ...push, pipeline })
    await others()
  }
}

/**
 * Starts a run of a pipeline where its branch has a new head, or a tag that it waits for names another commit.
 * Repeated, it starts nothing: the newest run by a push of the branch or tag has that commit already.
 */
async function takeApplicationPush(deps: Deps, push: ApplicationPush): Promise<void> {
  const { organizationId, connection } = push
  try {
    await notingRefusals(deps, organizationId, {
      connection,
      async work() {
        await takeBranch(deps, push)
        await takeTags(deps, push)
      },
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // Deleted since it was listed.
    if (error.fault === 'not_found') return
    // Faults that a retry cannot fix are recorded, and do not keep other pipelines from their push.
    if (error.fault !== 'invalid' && error.fault !== 'conflict') throw error
    await refuse(deps, push, error)
  }
}

async function takeBranch(deps: Deps, push: ApplicationPush): Promise<void> {
  const { organizationId, connection, delivery, pipeline, reader } = push
  const { id, triggerPush, triggerPaths, appRepo } = pipeline
  if (!triggerPush || delivery.branches.length === 0 || appRepo === null) return
  const branch =
    pipeline.appBranch ?? connection.defaultBranch ?? (await reader.defaultBranch(appRepo))
  if (branch === null || !delivery.branches.includes(branch)) return
  const head = await reader.head(appRepo, branch)
  // The branch was deleted.
  if (head === null) return
  const { pushed, base } = await deps.store.tenant(organizationId, async (tenant) => ({
    pushed: await triggeredRuns(tenant, id).newestCommit(branch, { byPush: true }),
    base: await triggeredRuns(tenant, id).newestCommit(branch, { byPush: false }),
  }))
  if (pushed === head) return
  const from = base ?? null
  if (triggerPaths.length > 0 && from !== null) {
    const paths = await reader.changedPaths(appRepo, { base: from, head })
    if (paths && !(await fitAny(triggerPaths, paths))) return
  }
  const made = await reader.commits(appRepo, { branch, from, to: head })

  await deps.store.tenant(organizationId, async (tenant) => {
    const now = await pipelines(tenant).getForUpdate(id)
    // Changed since the host was asked, so it is asked again by what the pipeline says now.
    if (now.updatedAt.getTime() !== pipeline.updatedAt.getTime())
      throw unavailable('pipeline_changed', 'The pipeline was changed meanwhile.')
    // Another delivery of the same push may have been first.
    const newest = await triggeredRuns(tenant, id).newestCommit(branch, { byPush: true })
    if (newest === head) return
    const authors = await authorsOfCommits(tenant, made)
    await createPushedRun(tenant, {
      pipeline,
      branch,
      commitSha: head,
      triggerId: delivery.id,
      ...authors,
    })
  })
}

/** As Git hosts take them. */
const maxTagLength = 255

/**
 * A run of what the host says that a tag names, once for each commit: the signature of a delivery does not cover its
 * id, so a captured one can be sent again under another id, and would release an old tag over a newer one. No host
 * tells who pushed a tag.
 */
async function takeTags({ store }: Deps, push: ApplicationPush): Promise<void> {
  const { organizationId, delivery, pipeline, reader } = push
  const { id, triggerTags, appRepo, appGitConnectionId } = pipeline
  if (appRepo === null) return
  const matcher = pathMatcher(triggerTags)
  for (const tag of delivery.tags) {
    if (tag.length > maxTagLength || !(await matcher.fitsAny(tag))) continue
    const commitSha = await reader.tag(appRepo, tag)
    // The tag was deleted.
    if (commitSha === null) continue
    await store.tenant(organizationId, async (tenant) => {
      const now = await pipelines(tenant).getForUpdate(id)
      // Led elsewhere since it was listed: the tag is another repository's. Nor are tags compared with new patterns
      // here, where the pipeline is locked: the next attempt does that.
      const isLed = now.appRepo === appRepo && now.appGitConnectionId === appGitConnectionId
      if (!isLed || !isDeepStrictEqual(now.triggerTags, triggerTags))
        throw unavailable('pipeline_changed', 'The pipeline was changed meanwhile.')
      const newest = await triggeredRuns(tenant, id).newestOfTag(tag)
      if (newest?.commitSha === commitSha) return
      // It looks the tag up itself, when it fetches it.
      if (newest?.commitSha === null && newest.phase === 'queued') return
      await createPushedRun(tenant, {
        pipeline,
        branch: null,
        commitSha,
        tag,
        triggerId: delivery.id,
        unknownAuthor: true,
      })
    })
  }
}

/** Audited, because nobody waits for an answer. */
async function refuse(
  { store }: Deps,
  { organizationId, pipeline }: ApplicationPush,
  error: AppError,
): Promise<void> {
  await store.tenant(organizationId, async (tenant) =>
    auditLog(tenant, systemActor).record('git.push_refused', {
      outcome: 'failure',
      target: { kind: 'pipeline', id: pipeline.id, label: pipeline.name },
      detail: { code: error.code, reason: error.message.slice(0, 500) },
    }),
  )
}
