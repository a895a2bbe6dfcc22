import type { GitHost, GitRepository } from '../git-host.ts'
import { isStatus } from '../git-refusal.ts'
import { inPath, type JsonClient } from '../json-client.ts'
import { proveToken } from '../prove-token.ts'

const provider = 'Bitbucket'
const perPage = 100
/** A cursor is one number: so many pages of repositories are numbered for each workspace. */
const pagesOfWorkspace = 10_000

export type CloudPage<T> = { values: T[]; next?: string }
export type CloudRepository = {
  uuid: string
  full_name: string
  is_private: boolean
  mainbranch?: { name: string } | null
}
type Access = { workspace: { slug: string } }

/**
 * Bitbucket Cloud lists repositories by workspace. Its listings over all workspaces answer 410
 * since April 2026 (its changelog, CHANGE-2770); the workspaces of a person are listed by
 * `/user/workspaces` (CHANGE-3022).
 */
export function bitbucketCloudRepositories(
  client: JsonClient,
): Pick<GitHost, 'checkToken' | 'repositories'> {
  return {
    checkToken: async (repo) => {
      try {
        await proveToken(
          provider,
          async () =>
            repo === undefined
              ? client.get('/user/workspaces', { pagelen: 1 })
              : client.get(inWorkspace(repo), { role: 'member', pagelen: 1 }),
          'values',
        )
      } catch (error) {
        // The token was taken, for a wrong one is 401. An access token belongs to no person, so it
        // is not told of workspaces. Whether the repository is there is asked next.
        if (isStatus(error, 403) || (repo !== undefined && isStatus(error, 404))) return
        throw error
      }
    },

    repositories: async ({ q, page, near }) => {
      const index = Math.floor((page - 1) / pagesOfWorkspace)
      const own = ((page - 1) % pagesOfWorkspace) + 1
      const { workspace, isLast } = await workspaceAt(client, index, near)
      if (workspace === undefined) return { repos: [], nextPage: null }
      const { values, next } = await client.get<CloudPage<CloudRepository>>(
        inWorkspace(workspace),
        {
          role: 'member',
          pagelen: perPage,
          page: own,
          ...(q && { q: `full_name ~ "${q.replace(/["\\]/g, '')}"` }),
        },
      )
      const nextWorkspace = isLast ? null : (index + 1) * pagesOfWorkspace + 1
      return {
        repos: values.map(toRepository),
        nextPage: next && own < pagesOfWorkspace ? page + 1 : nextWorkspace,
      }
    },
  }
}

const inWorkspace = (name: string) => `/repositories/${inPath(name.split('/', 1)[0] ?? '')}`

/** The workspaces of a person, in the order of the listing; of an access token the one of the known repository. */
async function workspaceAt(
  client: JsonClient,
  index: number,
  near: string | null | undefined,
): Promise<{ workspace: string | undefined; isLast: boolean }> {
  try {
    const { values, next } = await client.get<CloudPage<Access>>('/user/workspaces', {
      pagelen: perPage,
      page: Math.floor(index / perPage) + 1,
    })
    const at = index % perPage
    return {
      workspace: values[at]?.workspace.slug,
      isLast: at + 1 >= values.length && next === undefined,
    }
  } catch (error) {
    // 401 says "not supported for this endpoint" too; a token that is invalid is told so next.
    if (!near || !isStatus(error, 401, 403)) throw error
    return { workspace: near, isLast: true }
  }
}

export const toRepository = (repository: CloudRepository): GitRepository => ({
  id: repository.uuid,
  fullName: repository.full_name,
  defaultBranch: repository.mainbranch?.name ?? null,
  private: repository.is_private,
  // Cloud knows no archived repositories.
  archived: false,
})
