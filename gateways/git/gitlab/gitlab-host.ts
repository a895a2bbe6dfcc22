import { Gitlab } from '@gitbeaker/rest'
import type { Outbound } from '../../outbound/outbound.ts'
import type { FileChange } from '../../../domain/git/changes-between.ts'
import type { GitHost, GitRepository } from '../git-host.ts'
import { isStatus } from '../git-refusal.ts'
import { commitToGitlab } from './gitlab-commit.ts'
import { gitlabHead, gitlabTag, type GitlabApi } from './gitlab-api.ts'
import { gitlabCompare } from './gitlab-compare.ts'
import { gitlabExpectedFiles } from './gitlab-expected-files.ts'
import { gitlabRequester } from './gitlab-requester.ts'
import { gitlabPulls } from './gitlab-pulls.ts'
import { gitlabSource } from './gitlab-source.ts'
import { gitlabTree } from './gitlab-tree.ts'
import { gitlabWebhooks } from './gitlab-webhooks.ts'
import { gitAuthorization } from '../git-authorization.ts'
import type { Remote } from '../git-snapshot.ts'
import { inPath } from '../json-client.ts'
import { readBySnapshot } from '../read-by-snapshot.ts'
import { proveToken } from '../prove-token.ts'
import { providerFetch, unreadFetch } from '../provider-fetch.ts'

const provider = 'GitLab'
const perPage = 100
/** A folder of a larger repository is read by the API. */
const maxPackBytes = 32 * 1_048_576
/** From this access level on a member may push (docs: "Members API"). */
const developer = 30

/** GitLab.com and self-managed GitLab, by the multi-file commits API. */
export function gitlabHost(
  outbound: Outbound,
  connection: { origin: string; token: string },
): GitHost {
  const send = providerFetch(outbound, provider, connection.token)
  const api = new Gitlab({
    host: connection.origin,
    token: connection.token,
    requesterFn: gitlabRequester(send),
  })
  const tree = gitlabTree(send, connection)
  const compare = gitlabCompare(unreadFetch(outbound, provider, connection.token), connection)
  const remoteOf = (name: string): Remote => ({
    url: `${connection.origin}/${inPath(name)}.git`,
    authorization: gitAuthorization('gitlab', connection.token),
    provider,
    maxPackBytes,
  })

  return {
    ...gitlabSource(api, { tree, snapshot: readBySnapshot(outbound, remoteOf) }),
    ...gitlabWebhooks(api),
    ...gitlabPulls(api, compare),

    checkToken: async () => proveToken(provider, async () => api.Users.showCurrentUser(), 'id'),

    repository: async (name) => toRepository(await api.Projects.show(name)),

    missingRights: async ({ fullName }, need) => {
      // The commits API asks for the scope `api`; `write_repository` is for git itself.
      const wanted = need === 'write' ? ['api'] : ['api', 'read_api']
      const scopes = await scopesOf(api)
      if (scopes && !wanted.some((scope) => scopes.includes(scope)))
        return [need === 'write' ? 'api' : 'read_api']
      if (need === 'read') return []
      // The library's type has the fields of one kind of answer only.
      const { permissions } = (await api.Projects.show(fullName)) as {
        permissions?: Record<string, { access_level?: number } | null>
      }
      const levels = [permissions?.['project_access'], permissions?.['group_access']]
      return levels.some((level) => (level?.access_level ?? 0) >= developer)
        ? []
        : ['role Developer in the project']
    },

    repositories: async ({ q, page }) => {
      const { data, paginationInfo } = await api.Projects.all({
        membership: true,
        orderBy: 'id',
        sort: 'asc',
        pagination: 'offset',
        perPage,
        page,
        showExpanded: true,
        ...(q && { search: q, searchNamespaces: true }),
      })
      return { repos: data.map(toRepository), nextPage: paginationInfo.next ?? null }
    },

    head: async (name, branch) => gitlabHead(api, name, branch),

    tag: async (name, tag) => gitlabTag(api, name, tag),

    readFile: async (name, { commit, path }) => {
      try {
        const file = await api.RepositoryFiles.show(name, path, commit)
        return Buffer.from(file.content, 'base64').toString()
      } catch (error) {
        if (isStatus(error, 404)) return null
        throw error
      }
    },

    listFiles: async (name, at) => (await gitlabExpectedFiles(api, name, at)) ?? tree.all(name, at),

    commit: async (name, request) => commitToGitlab(api, name, request),

    createBranch: async (name, { branch, commit }) => {
      try {
        await api.Branches.create(name, branch, commit)
      } catch (error) {
        if (!isStatus(error, 400, 409) || !(await gitlabHead(api, name, branch))) throw error
      }
    },

    compare: async (name, { base, head }) => {
      const diffs = await compare(name, { from: base, to: head, straight: true })
      return diffs.flatMap((diff): FileChange[] => {
        if (diff.deleted_file) return [{ path: diff.old_path, change: 'removed' }]
        if (diff.new_file) return [{ path: diff.new_path, change: 'added' }]
        if (diff.old_path === diff.new_path) return [{ path: diff.new_path, change: 'modified' }]
        // Moved: a folder that it left has changed as well.
        return [
          { path: diff.old_path, change: 'removed' },
          { path: diff.new_path, change: 'added' },
        ]
      })
    },

    isProtected: async (name, branch) => {
      try {
        const found = await api.Branches.show(name, branch)
        return found.protected && !found.can_push
      } catch (error) {
        if (isStatus(error, 404)) return false
        throw error
      }
    },

    pullRequest: async (name, { from, into, title, body }) => {
      const open = await api.MergeRequests.all({
        projectId: name,
        sourceBranch: from,
        targetBranch: into,
        state: 'opened',
      })
      const [
        found = await api.MergeRequests.create(name, from, into, title, { description: body }),
      ] = open
      return { number: found.iid, url: found.web_url, state: 'open' as const }
    },
  }
}

/** Undefined where the token is of a kind that cannot tell. */
async function scopesOf(api: GitlabApi): Promise<string[] | undefined> {
  try {
    const token = await api.PersonalAccessTokens.show()
    return token.scopes
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

type GitlabProject = {
  id: number
  path_with_namespace: string
  default_branch?: string | null
  visibility?: string
  archived?: unknown
  empty_repo?: unknown
}

/** The library types every field beyond the first as unknown. */
function toRepository(project: unknown): GitRepository {
  const { id, path_with_namespace, default_branch, visibility, archived, empty_repo } =
    project as GitlabProject
  return {
    id: String(id),
    fullName: path_with_namespace,
    defaultBranch: empty_repo === true ? null : (default_branch ?? null),
    private: visibility !== 'public',
    archived: archived === true,
  }
}
