import { faultOfApprover } from '../../domain/pipelines/authors.ts'
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

/** Who could approve the run now. */
export async function eligibleApprovers(
  db: Db,
  organizationId: number,
  run: Pick<WorkspaceRun, 'workspaceId' | 'authorUserId' | 'configurationVersionId'>,
): Promise<User[]> {
  const { ids, unknownAuthor } = await authorsOf(db, organizationId, run)
  const people = await users(db, organizationId).listActive()
  return people.filter((person) => faultOfApprover(person, ids, unknownAuthor) === undefined)
}
