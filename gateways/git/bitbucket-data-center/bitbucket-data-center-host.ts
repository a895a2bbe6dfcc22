import type { FileChange } from '../../../domain/git/changes-between.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { bitbucketDataCenterPulls } from './bitbucket-data-center-pulls.ts'
import { bitbucketDataCenterSource } from './bitbucket-data-center-source.ts'
import { bitbucketDataCenterWebhooks } from './bitbucket-data-center-webhooks.ts'
import { gitAuthorization } from '../git-authorization.ts'
import { maxChanges, type GitHost, type GitRepository } from '../git-host.ts'
import { withSnapshot, type Remote } from '../git-snapshot.ts'
import { isStatus } from '../git-refusal.ts'
import { inPath, jsonClient, type JsonClient } from '../json-client.ts'
import { proveToken } from '../prove-token.ts'
import { providerFetch } from '../provider-fetch.ts'
import { readBySnapshot } from '../read-by-snapshot.ts'

const provider = 'Bitbucket Data Center'
const perPage = 100

type Page<T> = { values: T[]; isLastPage: boolean; nextPageStart?: number | null }
type Repository = {
  id: number
  slug: string
  project: { key: string }
  public?: boolean
  archived?: boolean
}
type Branch = { id: string; displayId: string; latestCommit: string }

/** Bitbucket Data Center. Its REST API has no commit of several files, so commits are pushed by git. */
export function bitbucketDataCenterHost(
  outbound: Outbound,
  { origin, token }: { origin: string; token: string },
): GitHost {
  const client = jsonClient(providerFetch(outbound, provider, token), {
    baseUrl: `${origin}/rest/api/1.0`,
    authorization: `Bearer ${token}`,
  })
  const remoteOf = (name: string): Remote => ({
    url: `${origin}/scm/${inPath(name)}.git`,
    authorization: gitAuthorization('bitbucket-data-center', token),
    provider,
  })

  return {
    ...bitbucketDataCenterSource(client, at, readBySnapshot(outbound, remoteOf)),
    ...bitbucketDataCenterWebhooks(client, at),
    ...bitbucketDataCenterPulls(client, at),

    checkToken: async () =>
      proveToken(provider, async () => client.get('/repos', { limit: 1 }), 'values'),

    repository: async (name) => {
      const repository = toRepository(await client.get<Repository>(at(name)))
      const branch = await defaultBranchOf(client, name)
      return { ...repository, defaultBranch: branch }
    },

    missingRights: async ({ id, fullName }, need) => {
      const permission = need === 'write' ? 'REPO_WRITE' : 'REPO_READ'
      const [projectkey, slug] = fullName.split('/')
      const query = { permission, projectkey: projectkey ?? '', name: slug ?? '', limit: perPage }
      for await (const found of client.list<Repository>('/repos', query))
        if (String(found.id) === id) return []
      return [permission]
    },

    repositories: async ({ q, page }) => {
      // Its pages go by the offset of their first row.
      const { values, isLastPage, nextPageStart } = await client.get<Page<Repository>>('/repos', {
        start: page - 1,
        limit: perPage,
        ...(q && { name: q }),
      })
      return {
        repos: values.map(toRepository),
        nextPage: isLastPage || nextPageStart == null ? null : nextPageStart + 1,
      }
    },

    head: async (name, branch) => headOf(client, name, branch),

    tag: async (name, tag) => tagOf(client, name, tag),

    readFile: async (name, { commit, path }) => {
      try {
        return await client.text(`${at(name)}/raw/${inPath(path)}`, { at: commit })
      } catch (error) {
        if (isStatus(error, 404)) return null
        throw error
      }
    },

    listFiles: async (name, { branch, commit, folder }) =>
      withSnapshot(outbound, remoteOf(name), {
        branch,
        commit,
        work: async (snapshot) => snapshot.files(folder),
      }),

    commit: async (name, request) =>
      withSnapshot(outbound, remoteOf(name), {
        branch: request.branch,
        commit: request.expectedHead,
        work: async (snapshot) => snapshot.push(request),
      }),

    createBranch: async (name, { branch, commit }) => {
      try {
        await client.post(`${at(name)}/branches`, { name: branch, startPoint: commit })
      } catch (error) {
        if (!isStatus(error, 400, 409) || !(await headOf(client, name, branch))) throw error
      }
    },

    compare: async (name, { base, head }) => {
      type Change = { type: string; path: Path; srcPath?: Path }
      const found: FileChange[] = []
      // Its `compare/changes` begins where the two parted: of a branch that was moved back it leaves out what that undid.
      const query = { since: base, until: head, limit: perPage }
      const listed = client.list<Change>(`${at(name)}/changes`, query)
      for await (const { type, path, srcPath } of listed) {
        if (found.length >= maxChanges) break
        found.push({ path: path.toString, change: changes[type] ?? 'modified' })
        // Moved: a folder that it left has changed as well.
        if (type === 'MOVE' && srcPath) found.push({ path: srcPath.toString, change: 'removed' })
      }
      return found
    },

    // Its branch restrictions are another API's, and hooks may refuse as well: the push itself tells.
    isProtected: async () => false,

    pullRequest: async (name, { from, into, title, body }) => {
      type Request = { id: number; links: { self: Array<{ href: string }> } }
      const ref = (branch: string) => ({ id: `refs/heads/${branch}` })
      const open = await client.get<
        Page<Request & { fromRef: { id: string }; toRef: { id: string } }>
      >(`${at(name)}/pull-requests`, {
        state: 'OPEN',
        direction: 'OUTGOING',
        at: ref(from).id,
      })
      const found =
        open.values.find(({ toRef }) => toRef.id === ref(into).id) ??
        (
          await client.post<Request>(`${at(name)}/pull-requests`, {
            title,
            description: body,
            fromRef: ref(from),
            toRef: ref(into),
          })
        ).data
      if (!found) throw new Error('no pull request')
      return { number: found.id, url: found.links.self[0]?.href ?? '', state: 'open' as const }
    },
  }
}

type Path = { toString: string }

const changes: Record<string, 'added' | 'removed'> = { ADD: 'added', DELETE: 'removed' }

const at = (name: string): string => {
  const [key = '', slug = ''] = name.split('/')
  return `/projects/${encodeURIComponent(key)}/repos/${encodeURIComponent(slug)}`
}

async function headOf(client: JsonClient, name: string, branch: string): Promise<string | null> {
  // The filter finds every branch whose name contains the text, case aside.
  const query = { filterText: branch, limit: perPage }
  for await (const { id, latestCommit } of client.list<Branch>(`${at(name)}/branches`, query))
    if (id === `refs/heads/${branch}`) return latestCommit
  return null
}

/** The commit, also where an annotated tag is between: that one's own id is `hash`. */
async function tagOf(client: JsonClient, name: string, tag: string): Promise<string | null> {
  try {
    return (await client.get<Branch>(`${at(name)}/tags/${inPath(tag)}`)).latestCommit
  } catch (error) {
    if (isStatus(error, 404)) return null
    throw error
  }
}

/** 404 and, since 7, 204: the repository is empty. */
async function defaultBranchOf(client: JsonClient, name: string): Promise<string | null> {
  const page = await client.get<Page<Branch & { isDefault?: boolean }>>(`${at(name)}/branches`, {
    orderBy: 'MODIFICATION',
    limit: 1_000,
  })
  const found = page.values.find(({ isDefault }) => isDefault) ?? page.values[0]
  return found?.displayId ?? null
}

const toRepository = ({ id, slug, project, ...rest }: Repository): GitRepository => ({
  id: String(id),
  fullName: `${project.key}/${slug}`,
  defaultBranch: null,
  private: rest.public !== true,
  archived: rest.archived === true,
})
