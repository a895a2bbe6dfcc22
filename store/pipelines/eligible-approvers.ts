import { lowestRole } from '../../domain/access/roles.ts'
import type { Db } from '../connect.ts'
import { users, type User } from '../users/users.ts'
import { configurationVersions } from '../workspaces/configuration-versions.ts'
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
    ids: new Set([run.authorUserId, ...version.authorUserIds, ...changed]),
    unknownAuthor: version.unknownAuthor,
  }
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
