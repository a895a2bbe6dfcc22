import { askPrepared } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { WorkspaceRun } from '../runs/workspace-runs.ts'

/**
 * What the end of an apply means for its workspace and its attempt, in one statement: after a
 * success the authors' changes that the plan knew of are settled, and after any other end of an
 * apply the state is to be refreshed. A run with `destroy` settles none: it applied nothing of what
 * they wrote. Who wrote a version that is newer than the run's
 * stays an author with all changes: what they wrote was not applied, and the next version contains
 * it. The caller holds the workspace's row, under which versions are made.
 */
export async function settleApply(
  tenant: Tenant,
  {
    id,
    workspaceId,
    destroy,
    configurationVersionId,
    authorshipThrough,
  }: Pick<
    WorkspaceRun,
    'id' | 'workspaceId' | 'destroy' | 'configurationVersionId' | 'authorshipThrough'
  >,
  { isApplied, fence }: { isApplied: boolean; fence: number },
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await askPrepared(db, {
    name: 'settle-apply',
    text: `with settled as (
        update workspace_authorship set applied_at = now()
        where organization_id = $1 and workspace_id = $3 and applied_at is null and id <= $4
          and $5::boolean and not $8::boolean
          and user_id <> all(array(select distinct unnest(newer.author_user_ids)
            from configuration_versions newer join configuration_versions applied
              on applied.organization_id = newer.organization_id and applied.id = $7
            where newer.organization_id = $1 and newer.workspace_id = $3
              and newer.number > applied.number and newer.pull_request_id is null))),
      ended as (
        update apply_attempts set ended_at = now(), exit_code = case when $5::boolean then 0 else 1 end
        where organization_id = $1 and workspace_run_id = $2 and fence = $6
          and ended_at is null)
      update workspaces set needs_refresh = not $5::boolean,
        last_applied_at = case when $5::boolean then now() else last_applied_at end
      where organization_id = $1 and id = $3`,
    values: [
      organizationId,
      id,
      workspaceId,
      authorshipThrough,
      isApplied,
      fence,
      configurationVersionId,
      destroy,
    ],
  })
}
