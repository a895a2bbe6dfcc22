import { AppError, invalid } from '../../domain/errors.ts'
import { checkBranchName } from '../../domain/git/repository-name.ts'
import type { GitHost, GitRepository } from '../../gateways/git/git-host.ts'
import { isStatus } from '../../gateways/git/git-refusal.ts'
import { askingProvider } from './asking-provider.ts'

export type FoundRepository = { repository: GitRepository; branch: string }
type Asked = {
  name: string
  branch: string | undefined
  repoType: 'infra' | 'application'
  /** The names of the fields in the caller's request, for errors. */
  fields?: { repo: string; branch: string }
}

/**
 * Looks up a repository and checks that the token has the rights that the connection needs: writing
 * for an infra repository, at least the marker for an application's.
 */
export const findRepository = async (host: GitHost, asked: Asked): Promise<FoundRepository> =>
  askingProvider(async () => find(host, asked))

async function find(
  host: GitHost,
  { name, branch: asked, repoType, fields = { repo: 'repo', branch: 'branch' } }: Asked,
): Promise<FoundRepository> {
  const wanted = asked === undefined ? undefined : checkBranchName(asked, fields.branch)
  const repository = await lookUp(host, name, fields.repo)
  const { fullName } = repository
  if (repository.archived)
    throw refused(
      fields.repo,
      'git_repository_archived',
      'is archived: nothing can be written to it',
    )
  const missing = await host.missingRights(repository, 'write')
  if (missing.length > 0)
    throw new AppError(
      'invalid',
      `The token may not write to ${fullName}. It lacks: ${missing.join(', ')}.`,
      { code: 'git_permissions_missing', missing },
    )
  const branch = wanted ?? repository.defaultBranch ?? 'main'
  if (repoType === 'application' && !(await host.head(fullName, branch)))
    throw refused(
      fields.branch,
      'git_branch_not_found',
      `there is no branch ${branch} in ${fullName}`,
    )
  return { repository, branch }
}

async function lookUp(host: GitHost, name: string, field: string): Promise<GitRepository> {
  try {
    return await host.repository(name)
  } catch (error) {
    if (isStatus(error, 404))
      throw refused(field, 'git_repository_not_found', 'is not there, or this token may not see it')
    throw error
  }
}

const refused = (path: string, code: string, message: string) =>
  invalid(`${path}: ${message}.`, [{ path, message }], code)
