import type { Tenant } from '../../store/driver/tenant.ts'
import { writeCommentId, writeCommentType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { gitPullRequests } from '../../store/git/git-pull-requests.ts'
import { configurationVersions } from '../../store/workspaces/configuration-versions.ts'

/** Starts the workflow that updates a pull request's comment, in the transaction of the change it reports. */
export async function startComment(
  tenant: Tenant,
  { pullRequestId, after }: { pullRequestId: number; after: string },
): Promise<void> {
  const { organizationId } = tenant

  const input = { organizationId, pullRequestId }
  const workflowId = writeCommentId({ ...input, after })
  const pull = await gitPullRequests(tenant).find(pullRequestId)
  await outbox(tenant).start({
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
  tenant: Tenant,
  run: { id: number; configurationVersionId: number },
): Promise<void> {
  const pullRequestId = await configurationVersions(tenant).pullRequestOf(
    run.configurationVersionId,
  )
  if (pullRequestId !== null)
    await startComment(tenant, { pullRequestId, after: `run-${run.id}-ended` })
}
