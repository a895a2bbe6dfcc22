import { writeCommentId, writeCommentType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import type { Db } from '../connect.ts'
import { outbox } from '../outbox/outbox.ts'
import { gitPullRequests } from './git-pull-requests.ts'

/** Starts the workflow that updates a pull request's comment, in the transaction of the change it reports. */
export async function startComment(
  db: Db,
  organizationId: number,
  { pullRequestId, after }: { pullRequestId: number; after: string },
): Promise<void> {
  const input = { organizationId, pullRequestId }
  const workflowId = writeCommentId({ ...input, after })
  const pull = await gitPullRequests(db, organizationId).find(pullRequestId)
  await outbox(db, organizationId).start({
    workflowType: writeCommentType,
    workflowId,
    taskQueue: controlQueue,
    input,
    summary: `${pull?.repo.split('/').at(-1)}, pull request ${pull?.number}, comment`,
    searchAttributes: { OrgId: `org-${organizationId}` },
    dedupeKey: `start:${workflowId}`,
  })
}

/** Starts the comment on the end of a plan, if the run belongs to a pull request. */
export async function commentOnEnd(
  db: Db,
  organizationId: number,
  run: { id: number; configurationVersionId: number },
): Promise<void> {
  const version = await db('configuration_versions')
    .where({ organizationId, id: run.configurationVersionId })
    .whereNotNull('pullRequestId')
    .first('pullRequestId')
  if (version)
    await startComment(db, organizationId, {
      pullRequestId: version.pullRequestId,
      after: `run-${run.id}-ended`,
    })
}
