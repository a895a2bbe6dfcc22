import { AppError, invalid } from '../../domain/errors.ts'
import { checkBranchName } from '../../domain/git/repository-name.ts'
import type { GitHost, GitRepository } from '../../gateways/git/git-host.ts'
import { isStatus } from '../../gateways/git/git-refusal.ts'

export type FoundRepository = { repository: GitRepository; branch: string }

/**
 * Looks a repository up and proves that the token may do there what a connection does: an
 * infra repository is written to as a whole, and an application's at least bears the marker.
 */
export async function findRepository(
  host: GitHost,
  asked: { name: string; branch: string | undefined; repoType: 'infra' | 'application' },
): Promise<FoundRepository> {
  const wanted = asked.branch === undefined ? undefined : checkBranchName(asked.branch)
  const repository = await lookUp(host, asked.name)
  if (repository.archived)
    throw refused('repo', 'git_repository_archived', 'is archived: nothing can be written to it')
  const missing = await host.missingRights(repository, 'write')
  if (missing.length > 0)
    throw new AppError(
      'invalid',
      `The token may not write to ${repository.fullName}. It lacks: ${missing.join(', ')}.`,
      { code: 'git_permissions_missing', missing },
    )
  const branch = wanted ?? repository.defaultBranch ?? 'main'
  if (asked.repoType === 'application' && !(await host.head(repository.fullName, branch)))
    throw refused('branch', 'git_branch_not_found', `there is no branch ${branch} in it`)
  return { repository, branch }
}

async function lookUp(host: GitHost, name: string): Promise<GitRepository> {
  try {
    return await host.repository(name)
  } catch (error) {
    if (isStatus(error, 404))
      throw refused(
        'repo',
        'git_repository_not_found',
        'is not there, or this token may not see it',
      )
    throw error
  }
}

const refused = (path: string, code: string, message: string) =>
  invalid(`${path}: ${message}.`, [{ path, message }], code)
