import { randomBytes } from 'node:crypto'
import type { GitPeer } from './git-peer.ts'
import { gitlabClone } from './gitlab-clone.ts'
import { compare } from './gitlab-peer-compare.ts'
import { gitlabHooks } from './gitlab-peer-hooks.ts'
import { events, showUser, signature } from './gitlab-peer-authors.ts'
import { gitlabPull } from './gitlab-peer-pulls.ts'
import { PeerServer, type PeerAnswer, type PeerRequest } from './peer-server.ts'
import { PeerProjects, type PeerProject } from './peer-projects.ts'
import { mergeRequests } from './gitlab-merge-requests.ts'
import type * as published from './gitlab-published-types.ts'

const ok = (json: unknown, headers?: Record<string, string>): PeerAnswer => ({
  status: 200,
  json,
  ...(headers && { headers }),
})
const fail = (status: number, message: unknown): PeerAnswer => ({ status, json: { message } })

type Action = {
  action: 'create' | 'update' | 'delete'
  file_path: string
  content?: string
  last_commit_id?: string
}

/**
 * The part of GitLab's REST API v4 that the product calls. peers-by-clients.test.ts calls it with
 * @gitbeaker/rest.
 */
export async function gitlabPeer(): Promise<GitPeer> {
  const store = new PeerProjects()
  const { repositories } = store

  const commits = async (project: PeerProject, request: PeerRequest): Promise<PeerAnswer> => {
    const {
      branch,
      commit_message: message,
      actions,
    } = JSON.parse(request.body.toString()) as {
      branch: string
      commit_message: string
      actions: Action[]
    }
    if (project.protectedBranches.has(branch))
      return fail(400, 'You are not allowed to push into this branch')
    const head = (await repositories.head(project.name, branch)) ?? null
    if (head === null && (await repositories.branches(project.name)).length > 0)
      return fail(400, 'You can only create or edit files when you are on a branch')
    const write: Record<string, string> = {}
    const remove: string[] = []
    for (const { action, file_path: path, content = '', last_commit_id: last } of actions) {
      const there = head && (await repositories.has(project.name, head, path))
      if (action === 'create' && there) return fail(400, 'A file with this name already exists')
      if (action !== 'create' && !there) return fail(400, "A file with this name doesn't exist")
      if (last && head && (await repositories.lastCommitOf(project.name, head, path)) !== last)
        return fail(400, `The file has changed since you started editing it: ${path}`)
      if (action === 'delete') remove.push(path)
      else write[path] = content
    }
    try {
      const id = await repositories.commit(project.name, {
        branch,
        expected: head,
        write,
        remove,
        message,
      })
      await store.noteHead(project, { branch, before: head })
      return { status: 201, json: { id, short_id: id.slice(0, 8), parent_ids: head ? [head] : [] } }
    } catch {
      return fail(400, 'Could not update branch. Please refresh and try again.')
    }
  }

  const server = new PeerServer(async (request) => {
    const right = request.token === undefined ? undefined : store.tokens.get(request.token)
    const git = /^\/(.+?)\.git(\/.*)$/.exec(request.path)
    if (git) return gitlabClone(store, request, { right, name: git[1] ?? '', rest: git[2] ?? '' })
    if (!right) return fail(401, '401 Unauthorized')
    const { method, url } = request
    const query = url.searchParams
    const parts = url.pathname
      .replace(/^\/api\/v4\//, '')
      .split('/')
      .map(decodeURIComponent)
    if (url.pathname === '/api/v4/user') return ok({ id: 1, username: 'ada', name: 'Ada' })
    if (url.pathname === '/api/v4/personal_access_tokens/self') {
      const scopes = right === 'write' ? ['api'] : ['read_api']
      return ok({ id: 1, scopes, active: true } satisfies published.Token)
    }
    if (url.pathname === '/api/v4/projects') return listProjects(store, url)
    if (parts[0] === 'users') return showUser(store, Number(parts[1]))
    const project =
      parts[0] === 'projects'
        ? (store.find(parts[1] ?? '') ?? store.projects.find(({ id }) => String(id) === parts[1]))
        : undefined
    if (!project) return fail(404, '404 Project Not Found')
    if (method !== 'GET' && right !== 'write')
      return {
        status: 403,
        json: {
          error: 'insufficient_scope',
          error_description:
            'The request requires higher privileges than provided by the access token.',
          scope: 'api',
        },
      }
    const what = parts.slice(2).join('/')
    if (what === '') return ok(await showProject(store, project))
    if (what === 'repository/commits' && method === 'POST') return commits(project, request)
    if (what === 'repository/commits') return listCommits(store, project, url)
    const commit = /^repository\/commits\/([0-9a-f]+)\/signature$/.exec(what)?.[1]
    if (commit !== undefined) return signature(store, commit)
    if (what === 'events') return events(project, url)
    if (what.startsWith('repository/branches')) return branches(store, project, request)
    if (what.startsWith('repository/files/')) {
      const path = parts.slice(4).join('/')
      const ref = query.get('ref') ?? ''
      const isCommit = /^[0-9a-f]{40}$/.test(ref)
      if (isCommit && !(await repositories.has(project.name, ref, path)))
        return fail(404, '404 File Not Found')
      const content = await repositories.readFile(project.name, ref, path)
      if (content === undefined) return fail(404, '404 File Not Found')
      return ok({
        file_path: path,
        file_name: path.split('/').at(-1) ?? '',
        encoding: 'base64',
        content: Buffer.from(content).toString('base64'),
        commit_id: ref,
        last_commit_id: await repositories.lastCommitOf(project.name, ref, path),
      } satisfies published.File)
    }
    if (what === 'repository/tree') return tree(store, project, url)
    if (what === 'repository/compare') return compare(store, project, query)
    if (what.startsWith('repository/tags/')) {
      const tag = parts.slice(4).join('/')
      const id = await repositories.tag(project.name, tag)
      return id ? ok({ name: tag, commit: { id } }) : fail(404, '404 Tag Not Found')
    }
    if (what.startsWith('hooks')) return gitlabHooks(store, project, request)
    if (what.startsWith('merge_requests/')) return gitlabPull(store, project, request)
    if (what === 'merge_requests') return mergeRequests(project, request)
    return fail(404, '404 Not Found')
  })
  await server.listen()

  return {
    product: 'gitlab',
    provider: 'gitlab',
    server,
    ...store.control('gitlab', () => `glpat-${randomBytes(10).toString('hex')}`),
    async close() {
      await server.close()
      repositories.close()
    },
  }
}

/** `ref_name` may be a range in git's syntax. */
async function listCommits(
  store: PeerProjects,
  project: PeerProject,
  url: URL,
): Promise<PeerAnswer> {
  const query = url.searchParams
  const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)]
  try {
    const found = await store.repositories.log(project.name, {
      range: [query.get('ref_name') ?? 'main'],
      path: query.get('path') ?? '',
    })
    const rows = found.slice((page - 1) * perPage, page * perPage)
    const more = page * perPage < found.length
    return ok(
      rows.map(({ id, author, committer, message }) => ({
        id,
        short_id: id.slice(0, 8),
        title: message.split('\n')[0],
        message,
        author_name: 'peer',
        author_email: author,
        committer_email: committer,
      })),
      { 'x-page': String(page), 'x-next-page': more ? String(page + 1) : '' },
    )
  } catch {
    return fail(404, '404 Ref Not Found')
  }
}

async function showProject(store: PeerProjects, project: PeerProject) {
  const branches = await store.repositories.branches(project.name)
  const told: published.Project = {
    id: project.id,
    path_with_namespace: project.name,
    path: project.name.split('/').at(-1) ?? '',
    default_branch: branches.length === 0 ? null : 'main',
    empty_repo: branches.length === 0,
    visibility: 'private',
    archived: project.archived,
  }
  return {
    ...told,
    permissions: { project_access: { access_level: 40 }, group_access: null },
  }
}

async function listProjects(store: PeerProjects, url: URL): Promise<PeerAnswer> {
  const page = Number(url.searchParams.get('page') ?? 1)
  const perPage = Number(url.searchParams.get('per_page') ?? 20)
  const search = url.searchParams.get('search')?.toLowerCase() ?? ''
  const all = store.projects.filter(({ name }) => name.toLowerCase().includes(search))
  const rows = all.slice((page - 1) * perPage, page * perPage)
  const more = page * perPage < all.length
  return ok(await Promise.all(rows.map(async (project) => showProject(store, project))), {
    'x-total': String(all.length),
    'x-page': String(page),
    'x-per-page': String(perPage),
    'x-next-page': more ? String(page + 1) : '',
    'x-total-pages': String(Math.ceil(all.length / perPage)),
    'x-prev-page': page > 1 ? String(page - 1) : '',
  })
}

async function branches(
  store: PeerProjects,
  project: PeerProject,
  request: PeerRequest,
): Promise<PeerAnswer> {
  const { repositories } = store
  const show = (name: string, commit: string): published.Branch => ({
    name,
    commit: { id: commit },
    protected: project.protectedBranches.has(name),
    can_push: !project.protectedBranches.has(name),
  })
  if (request.method === 'POST') {
    const sent = {
      ...Object.fromEntries(request.url.searchParams),
      ...(request.body.length > 0 && JSON.parse(request.body.toString())),
    }
    const { branch, ref } = sent
    if (await repositories.head(project.name, branch)) return fail(400, 'Branch already exists')
    await repositories.git(project.name, 'update-ref', `refs/heads/${branch}`, ref, '0'.repeat(40))
    return { status: 201, json: show(branch, ref) }
  }
  const name = decodeURIComponent(request.path.split('/repository/branches/')[1] ?? '')
  const head = await repositories.head(project.name, name)
  return head ? ok(show(name, head)) : fail(404, '404 Branch Not Found')
}

/** Keyset pagination: a Link header names the next page. */
async function tree(store: PeerProjects, project: PeerProject, url: URL): Promise<PeerAnswer> {
  const query = url.searchParams
  const folder = query.get('path') ?? ''
  const [ref, recursive] = [query.get('ref') ?? '', query.get('recursive') === 'true']
  const all = await store.repositories.list(project.name, ref, folder, recursive)
  if (folder && all.length === 0) return fail(404, '404 invalid revision or path Not Found')
  const perPage = Number(query.get('per_page') ?? 20)
  const token = query.get('page_token')
  const from = token ? all.findIndex(({ id, path }) => `${id}${path}` === token) + 1 : 0
  const rows = all.slice(from, from + perPage)
  const last = rows.at(-1)
  const next = new URL(url)
  if (last) next.searchParams.set('page_token', `${last.id}${last.path}`)
  const more = from + perPage < all.length
  return ok(
    rows.map(({ path, id, type }): published.TreeEntry => ({
      id,
      path,
      name: path.split('/').at(-1) ?? '',
      type,
      mode: type === 'tree' ? '040000' : '100644',
    })),
    more ? { link: `<${next.href}>; rel="next"` } : {},
  )
}
