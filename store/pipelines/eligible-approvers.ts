import { lowestRole } from '../../domain/access/roles.ts'
import type { Db } from '../connect.ts'
import { users, type User } from '../users/users.ts'
import {
  configurationVersions,
  type ConfigurationVersion,
} from '../workspaces/configuration-versions.ts'
import { workspaceAuthorship } from '../workspaces/workspace-authorship.ts'
import type { WorkspaceRun } from './workspace-runs.ts'

export type RunAuthors = { ids: ReadonlySet<number>; unknownAuthor: boolean }

/** Everybody who had a hand in what this run will do: none of them approves it (runs.md, Authors). */
export async function authorsOf(
  db: Db,
  organizationId: number,
  run: Pick<WorkspaceRun, 'workspaceId' | 'authorUserId' | 'configurationVersionId'>,
): Promise<RunAuthors> {
  const version = await configurationVersions(db, organizationId).get(run.configurationVersionId)
  const changed = await workspaceAuthorship(db, organizationId).openAuthors(run.workspaceId)
  return {
    ids: new Set([
      ...(run.authorUserId === null ? [] : [run.authorUserId]),
      ...version.authorUserIds,
      ...changed,
    ]),
    unknownAuthor: await isUnknown(db, organizationId, version),
  }
}

/** SQL: whether what came in before a version, since the last apply, has an unknown author. */
export const unknownBefore = (version: string): string => `exists (
  select from configuration_versions earlier
  where earlier.organization_id = ${version}.organization_id
    and earlier.workspace_id = ${version}.workspace_id
    and earlier.unknown_author and earlier.pull_request_id is null
    and earlier.number < ${version}.number
    and earlier.number > coalesce((
      select applied.number from workspace_runs r join configuration_versions applied
        on applied.organization_id = r.organization_id and applied.id = r.configuration_version_id
      where r.organization_id = ${version}.organization_id and r.workspace_id = ${version}.workspace_id
        and r.kind = 'apply' and r.phase = 'succeeded'
      order by r.id desc limit 1), 0))`

/** Of an unknown author is what has come in since the last apply, not the newest commit alone. */
async function isUnknown(
  db: Db,
  organizationId: number,
  version: ConfigurationVersion,
): Promise<boolean> {
  if (version.unknownAuthor) return true
  const { rows } = await db.raw(
    `select ${unknownBefore('v')} as unknown from configuration_versions v
     where v.organization_id = ? and v.id = ?`,
    [organizationId, version.id],
  )
  return rows[0].unknown
}

/** Enough to find somebody; a list of thousands helps nobody. */
const maxShown = 20

/** Who could approve the run now: the first of them. */
export async function eligibleApprovers(
  db: Db,
  organizationId: number,
  run: Pick<WorkspaceRun, 'workspaceId' | 'authorUserId' | 'configurationVersionId'>,
): Promise<User[]> {
  const { ids, unknownAuthor } = await authorsOf(db, organizationId, run)
  return users(db, organizationId).listAble({
    lowest: lowestRole[unknownAuthor ? 'manage_cloud_accounts' : 'mutate_infra'],
    platformAdmins: true,
    except: ids,
    limit: maxShown,
  })
}
