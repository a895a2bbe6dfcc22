import type { Page, Repository, WorkspaceAccess } from './bitbucket-answers.ts'
import type { PeerAnswer, PeerRequest } from './peer-server.ts'
import type { PeerProject, PeerProjects } from './peer-projects.ts'

const failed = (status: number, message: string): PeerAnswer => ({
  status,
  json: { type: 'error', error: { message } },
})
const notForTokens = failed(403, 'This API is not accessible by this authentication mechanism')
const noWorkspace = failed(404, 'No workspace with this identifier.')

/** Answers the lists of workspaces and of their repositories. Undefined for all other paths. */
export async function cloudListing(
  store: PeerProjects,
  request: PeerRequest,
): Promise<PeerAnswer | undefined> {
  const { pathname } = request.url
  if (gone.includes(pathname)) return removed
  if (pathname === '/2.0/user/workspaces') return workspaces(store, request)
  const workspace = /^\/2\.0\/repositories\/([^/]+)$/.exec(pathname)?.[1]
  if (workspace === undefined) return undefined
  return repositoriesOf(store, request.url, decodeURIComponent(workspace))
}

/** Removed on 14 April 2026 (Bitbucket's changelog, CHANGE-2770). */
const gone = [
  '/2.0/repositories',
  '/2.0/workspaces',
  '/2.0/user/permissions/repositories',
  '/2.0/user/permissions/workspaces',
]
const removed: PeerAnswer = {
  status: 410,
  json: {
    type: 'error',
    error: {
      message: 'CHANGE-2770 - Functionality has been deprecated',
      detail: 'Please read the changelog entry for more details.',
    },
  },
}

/** A user signs in with address and API token. The scopes of API tokens have their own names. */
const isPerson = ({ headers }: PeerRequest) => /^basic /i.test(headers.authorization ?? '')

export function scopesOf(request: PeerRequest, right: 'read' | 'write'): string {
  if (isPerson(request))
    return right === 'write'
      ? 'read:repository:bitbucket, write:repository:bitbucket, write:pullrequest:bitbucket'
      : 'read:repository:bitbucket'
  return right === 'write' ? 'repository:write, pullrequest:write' : 'repository'
}

/**
 * CHANGE-3022. An access token belongs to a workspace, a project or a repository, and not to a
 * user.
 */
function workspaces(store: PeerProjects, request: PeerRequest): PeerAnswer {
  if (!isPerson(request)) return notForTokens
  const slugs = [...new Set(store.projects.map(({ name }) => name.split('/')[0] ?? ''))]
  const all = slugs.map<WorkspaceAccess>((slug) => ({
    type: 'workspace_access',
    administrator: false,
    workspace: { type: 'workspace_base', uuid: `{${slug}}`, slug },
  }))
  return { status: 200, json: pageOf(all, request.url) }
}

async function repositoriesOf(
  store: PeerProjects,
  url: URL,
  workspace: string,
): Promise<PeerAnswer> {
  const wanted = /"(.*)"/.exec(url.searchParams.get('q') ?? '')?.[1]?.toLowerCase() ?? ''
  const begin = `${workspace.toLowerCase()}/`
  const own = store.projects.filter(({ name }) => name.toLowerCase().startsWith(begin))
  if (own.length === 0) return noWorkspace
  const found = own.filter(({ name }) => name.toLowerCase().includes(wanted))
  const { values, ...page } = pageOf(found, url)
  const answer: Page<Repository> = {
    values: await Promise.all(values.map(async (project) => show(store, project))),
    ...page,
  }
  return { status: 200, json: answer }
}

function pageOf<T>(all: readonly T[], url: URL): Page<T> {
  const page = Number(url.searchParams.get('page') ?? 1)
  const length = Number(url.searchParams.get('pagelen') ?? 10)
  const next = new URL(url)
  next.searchParams.set('page', String(page + 1))
  return {
    values: all.slice((page - 1) * length, page * length),
    page,
    pagelen: length,
    ...(page * length < all.length && { next: next.href }),
  }
}

export async function show(store: PeerProjects, project: PeerProject): Promise<Repository> {
  const branches = await store.repositories.branches(project.name)
  return {
    type: 'repository',
    uuid: project.uuid,
    full_name: project.name,
    is_private: true,
    mainbranch: branches.length === 0 ? null : { type: 'branch', name: 'main' },
  }
}
