import { randomBytes } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataCenterHooks } from './bitbucket-peer-hooks.ts'
import { dataCenterPull } from './bitbucket-peer-pulls.ts'
import type { GitPeer } from './git-peer.ts'
import { gitHttpBackend, PeerServer, type PeerAnswer, type PeerRequest } from './peer-server.ts'
import { PeerProjects, type PeerProject } from './peer-projects.ts'

const fail = (status: number, message: string): PeerAnswer => ({
  status,
  json: { errors: [{ context: null, message, exceptionName: null }] },
})
const ok = (json: unknown): PeerAnswer => ({ status: 200, json })

/** Bitbucket Data Center's REST API 1.0. Commits are pushed to a real git http-backend. */
export async function bitbucketDataCenterPeer(): Promise<GitPeer> {
  const store = new PeerProjects()
  const { repositories } = store
  const server = new PeerServer(async (request) => {
    const right = request.token === undefined ? undefined : store.tokens.get(request.token)
    if (!right)
      return fail(401, 'Authentication failed. Please check your credentials and try again.')
    return route(store, request, right)
  })
  await server.listen()
  const control = store.control(
    'bitbucket-data-center',
    () => `BBDC${randomBytes(20).toString('hex')}`,
  )
  return {
    product: 'bitbucket-data-center',
    provider: 'bitbucket',
    server,
    ...control,
    async protect(name, branch) {
      await control.protect(name, branch)
      // Branch permissions refuse a push by a hook, as Data Center does.
      const hook = join(repositories.path(store.named(name).name), 'hooks', 'update')
      writeFileSync(hook, `#!/bin/sh\n[ "$1" != refs/heads/${branch} ]\n`)
      chmodSync(hook, 0o755)
    },
    async close() {
      await server.close()
      repositories.close()
    },
  }
}

async function route(
  store: PeerProjects,
  request: PeerRequest,
  right: 'read' | 'write',
): Promise<PeerAnswer> {
  const { repositories } = store
  const { method, url } = request
  const pushed = /^\/scm\/([^/]+\/[^/]+?)\.git(\/.*)$/.exec(url.pathname)
  if (pushed) {
    const project = store.find(decodeURIComponent(pushed[1] ?? ''))
    if (!project) return { status: 404, text: 'Repository not found' }
    const pushes = url.pathname.endsWith('git-receive-pack') || url.search.includes('receive-pack')
    if (pushes && right !== 'write') return { status: 403, text: 'You are not permitted to push' }
    return gitHttpBackend(request, {
      root: repositories.root,
      path: `/${project.name}.git${pushed[2] ?? ''}`,
    })
  }
  const query = url.searchParams
  const api = '/rest/api/1.0'
  if (url.pathname === `${api}/repos`) {
    const name = query.get('name')?.toLowerCase() ?? ''
    const key = query.get('projectkey')?.toLowerCase() ?? ''
    const refused = query.get('permission') === 'REPO_WRITE' && right !== 'write'
    const found = store.projects.filter(({ name: full }) => {
      const [project = '', slug = ''] = full.toLowerCase().split('/')
      return slug.includes(name) && (key === '' || project === key)
    })
    return ok(paged(refused ? [] : found.map(show), url))
  }
  const match = /^\/rest\/api\/1\.0\/projects\/([^/]+)\/repos\/([^/]+)(?:\/(.*))?$/.exec(
    url.pathname,
  )
  const project = match && store.find(`${decodeURIComponent(match[1] ?? '')}/${match[2] ?? ''}`)
  if (!project) return fail(404, 'Repository does not exist.')
  const what = decodeURIComponent(match[3] ?? '')
  if (what === '') return ok(show(project))
  if (method !== 'GET' && right !== 'write')
    return fail(401, 'You are not permitted to access this resource')
  if (what === 'branches') return branches(store, project, request)
  if (what.startsWith('tags/')) {
    const displayId = what.slice('tags/'.length)
    const latestCommit = await repositories.tag(project.name, displayId)
    if (!latestCommit) return fail(404, `The tag "${displayId}" does not exist.`)
    return ok({ id: `refs/tags/${displayId}`, displayId, type: 'TAG', latestCommit })
  }
  if (what.startsWith('raw/')) {
    const content = await repositories.readFile(project.name, query.get('at') ?? '', what.slice(4))
    return content === undefined
      ? fail(404, `The path "${what.slice(4)}" does not exist`)
      : { status: 200, text: content }
  }
  if (what === 'commits') {
    const since = query.get('since')
    const range = [query.get('until') ?? 'main', ...(since ? [`^${since}`] : [])]
    try {
      const found = await repositories.log(project.name, { range, path: query.get('path') ?? '' })
      const person = (emailAddress: string) => ({ name: 'peer', emailAddress })
      const rows = found.map(({ id, author, committer, message }) => ({
        id,
        message,
        displayId: id.slice(0, 11),
        author: person(author),
        committer: person(committer),
      }))
      return ok(paged(rows, url))
    } catch {
      return fail(404, 'Commit does not exist')
    }
  }
  if (what === 'compare/changes' || what === 'changes') {
    // The comparison has what `from` changed since it parted from `to`; the changes are of both commits as they are.
    const found =
      what === 'changes'
        ? await repositories.changes(
            project.name,
            query.get('since') ?? '',
            query.get('until') ?? '',
          )
        : await store.changesOf(project, {
            into: query.get('to') ?? '',
            from: query.get('from') ?? '',
          })
    const types: Record<string, string> = { A: 'ADD', D: 'DELETE' }
    const rows = found.map(({ path, status }) => ({
      type: types[status] ?? 'MODIFY',
      path: { toString: path },
    }))
    return ok(paged(rows, url))
  }
  if (what === 'ref-change-activities') return refChanges(store, project, { url, right })
  if (what.startsWith('webhooks')) return dataCenterHooks(store, project, request)
  if (what.startsWith('pull-requests/')) return dataCenterPull(store, project, request)
  if (what === 'pull-requests') return pulls(project, request)
  return fail(404, 'Not found')
}

/** Only administrators of the repository may use these routes. */
function refChanges(
  store: PeerProjects,
  project: PeerProject,
  { url, right }: { url: URL; right: 'read' | 'write' },
): PeerAnswer {
  if (right !== 'write') return fail(401, 'You are not permitted to access this resource')
  const ref = url.searchParams.get('ref')
  const rows = project.pushes
    .filter(({ branch }) => `refs/heads/${branch}` === ref)
    .map(({ branch, before, after, account }) => ({
      createdDate: Date.now(),
      trigger: 'push',
      user: {
        name: `user-${account}`,
        emailAddress: store.accounts.find(({ id }) => id === account)?.email ?? undefined,
      },
      refChange: {
        ref: { id: `refs/heads/${branch}`, displayId: branch, type: 'BRANCH' },
        refId: `refs/heads/${branch}`,
        fromHash: before,
        toHash: after,
        type: 'UPDATE',
      },
    }))
  return ok(paged(rows, url))
}

const show = (project: PeerProject) => {
  const [key, slug] = project.name.split('/')
  return {
    id: project.id,
    slug,
    name: slug,
    project: { key },
    public: false,
    archived: project.archived,
  }
}

function paged(rows: unknown[], url: URL) {
  const start = Number(url.searchParams.get('start') ?? 0)
  const limit = Number(url.searchParams.get('limit') ?? 25)
  const isLastPage = start + limit >= rows.length
  const values = rows.slice(start, start + limit)
  return {
    values,
    size: values.length,
    start,
    limit,
    isLastPage,
    nextPageStart: isLastPage ? null : start + limit,
  }
}

async function branches(
  store: PeerProjects,
  project: PeerProject,
  request: PeerRequest,
): Promise<PeerAnswer> {
  const { repositories } = store
  const display = (name: string, commit: string) => ({
    id: `refs/heads/${name}`,
    displayId: name,
    type: 'BRANCH',
    latestCommit: commit,
    isDefault: name === 'main',
  })
  if (request.method === 'POST') {
    const { name, startPoint } = JSON.parse(request.body.toString())
    if (await repositories.head(project.name, name))
      return fail(409, `A branch named ${name} already exists`)
    await repositories.git(
      project.name,
      'update-ref',
      `refs/heads/${name}`,
      startPoint,
      '0'.repeat(40),
    )
    return { status: 200, json: display(name, startPoint) }
  }
  const filter = request.url.searchParams.get('filterText')?.toLowerCase() ?? ''
  const all = await repositories.branches(project.name)
  const found = all.filter(({ name }) => name.toLowerCase().includes(filter))
  return ok(
    paged(
      found.map(({ name, commit }) => display(name, commit)),
      request.url,
    ),
  )
}

function pulls(project: PeerProject, request: PeerRequest): PeerAnswer {
  const view = (pull: PeerProject['pulls'][number]) => ({
    id: pull.number,
    title: pull.title,
    state: 'OPEN',
    version: 0,
    fromRef: { id: `refs/heads/${pull.from}` },
    toRef: { id: `refs/heads/${pull.into}` },
    links: { self: [{ href: `https://dc.example/${project.name}/pull-requests/${pull.number}` }] },
  })
  if (request.method === 'GET') {
    const at = request.url.searchParams.get('at')
    const found = project.pulls.filter(({ from, closed }) => !closed && `refs/heads/${from}` === at)
    return ok(paged(found.map(view), request.url))
  }
  const sent = JSON.parse(request.body.toString())
  const pull = {
    number: project.pulls.length + 1,
    title: sent.title,
    from: String(sent.fromRef.id).slice('refs/heads/'.length),
    into: String(sent.toRef.id).slice('refs/heads/'.length),
  }
  project.pulls.push(pull)
  return { status: 201, json: view(pull) }
}
