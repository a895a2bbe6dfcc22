import { randomBytes } from 'node:crypto'
import type { Branch, Commit, Diffstat, Page, PullRequest } from './bitbucket-answers.ts'
import { cloudHooks } from './bitbucket-peer-hooks.ts'
import { cloudPull } from './bitbucket-peer-pulls.ts'
import { cloudListing, scopesOf, show } from './bitbucket-peer-workspaces.ts'
import type { GitPeer } from './git-peer.ts'
import { gitHttpBackend, PeerServer, type PeerAnswer, type PeerRequest } from './peer-server.ts'
import { PeerProjects, type PeerProject } from './peer-projects.ts'

const fail = (status: number, message: string): PeerAnswer => ({
  status,
  json: { type: 'error', error: { message } },
})

/**
 * Bitbucket Cloud's API 2.0 and git over HTTP. peers-by-clients.test.ts calls it with the
 * `bitbucket` client.
 */
export async function bitbucketCloudPeer(): Promise<GitPeer> {
  const store = new PeerProjects()
  const { repositories } = store
  const server = new PeerServer(async (request) => {
    const right = request.token === undefined ? undefined : store.tokens.get(request.token)
    if (!right) return fail(401, 'Token is invalid, expired, or not supported for this endpoint.')
    const headers = { 'x-oauth-scopes': scopesOf(request, right) }
    const answer = await route(store, request, right)
    return { ...answer, headers: { ...headers, ...answer.headers } }
  })
  await server.listen()
  return {
    product: 'bitbucket-cloud',
    provider: 'bitbucket',
    server,
    ...store.control(
      'bitbucket-cloud',
      () => `ATCTT3xFfGN0${randomBytes(24).toString('hex')}=ABCDEF01`,
    ),
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
  const pushed = /^\/([^/]+\/[^/]+?)\.git(\/.*)$/.exec(url.pathname)
  if (pushed) {
    const project = store.find(pushed[1] ?? '')
    if (!project) return fail(404, 'Repository not found')
    return gitHttpBackend(request, {
      root: repositories.root,
      path: `/${project.name}.git${pushed[2] ?? ''}`,
    })
  }
  const listed = await cloudListing(store, request)
  if (listed) return listed
  const [owner = '', slug = '', ...rest] = url.pathname
    .replace(/^\/2\.0\/repositories\//, '')
    .split('/')
    .map(decodeURIComponent)
  const project = store.find(`${owner}/${slug}`)
  if (!project) return fail(404, `Repository ${owner}/${slug} not found`)
  if (method !== 'GET' && right !== 'write')
    return {
      status: 403,
      json: {
        type: 'error',
        error: {
          message: 'Your credentials lack one or more required privilege scopes.',
          detail: { granted: ['repository'], required: ['repository:write'] },
        },
      },
    }
  const what = rest.join('/')
  if (what === '') return { status: 200, json: await show(store, project) }
  if (what === 'src' && method === 'POST') return src(store, project, request)
  if (rest[0] === 'src') {
    const content = await repositories.readFile(
      project.name,
      rest[1] ?? '',
      rest.slice(2).join('/'),
    )
    return content === undefined
      ? fail(404, 'No such file or directory')
      : {
          status: 200,
          raw: Buffer.from(content),
          headers: { 'content-type': 'application/octet-stream' },
        }
  }
  if (what === 'refs/branches' && method === 'POST') {
    const { name, target } = JSON.parse(request.body.toString())
    if (await repositories.head(project.name, name))
      return fail(400, `Branch "${name}" already exists.`)
    await repositories.git(
      project.name,
      'update-ref',
      `refs/heads/${name}`,
      target.hash,
      '0'.repeat(40),
    )
    const made: Branch = { type: 'branch', name, target: { type: 'commit', hash: target.hash } }
    return { status: 201, json: made }
  }
  if (what.startsWith('refs/branches/')) {
    const name = rest.slice(2).join('/')
    const head = await repositories.head(project.name, name)
    if (!head) return fail(404, `No such branch: ${name}`)
    const branch: Branch = { type: 'branch', name, target: { type: 'commit', hash: head } }
    return { status: 200, json: branch }
  }
  if (what.startsWith('refs/tags/')) {
    const name = rest.slice(2).join('/')
    const hash = await repositories.tag(project.name, name)
    if (!hash) return fail(404, `No such tag: ${name}`)
    const tag: Branch = { type: 'tag', name, target: { type: 'commit', hash } }
    return { status: 200, json: tag }
  }
  if (rest[0] === 'commits') return commits(store, project, { url, revision: rest[1] ?? '' })
  if (rest[0] === 'diffstat') {
    const [head = '', base = ''] = (rest[1] ?? '').split('..')
    const found = url.searchParams.has('topic')
      ? await store.changesOf(project, { into: base, from: head })
      : await repositories.changes(project.name, base, head)
    const words: Record<string, Diffstat['status']> = { A: 'added', D: 'removed' }
    const page: Page<Diffstat> = {
      values: found.map(({ path, status }) => ({
        type: 'diffstat',
        status: words[status] ?? 'modified',
        ...(status !== 'A' && { old: { type: 'commit_file', path } }),
        ...(status !== 'D' && { new: { type: 'commit_file', path } }),
      })),
    }
    return { status: 200, json: page }
  }
  if (what === 'branch-restrictions')
    return {
      status: 200,
      json: {
        values: [...project.protectedBranches]
          .filter((branch) => branch === url.searchParams.get('pattern'))
          .map((pattern) => ({ kind: 'push', pattern })),
      },
    }
  if (rest[0] === 'hooks') return cloudHooks(store, project, request)
  if (rest[0] === 'pullrequests' && rest.length > 1) return cloudPull(store, project, request)
  if (what === 'pullrequests') return pulls(project, request)
  return fail(404, 'Resource not found')
}

async function commits(
  store: PeerProjects,
  project: PeerProject,
  { url, revision }: { url: URL; revision: string },
): Promise<PeerAnswer> {
  const exclude = url.searchParams.get('exclude')
  const path = url.searchParams.get('path') ?? ''
  const range = [revision, ...(exclude ? [`^${exclude}`] : [])]
  try {
    const found = await store.repositories.log(project.name, { range, path })
    const values = found.map<Commit>(({ id, author, message }) => ({
      type: 'commit',
      hash: id,
      author: { type: 'author', raw: `peer <${author}>` },
      message,
    }))
    const page: Page<Commit> = { values, pagelen: 100 }
    return { status: 200, json: page }
  } catch {
    return fail(404, `Commit not found`)
  }
}

/** A form with the files by path. `parents` must be the head of an existing branch. */
async function src(
  store: PeerProjects,
  project: PeerProject,
  request: PeerRequest,
): Promise<PeerAnswer> {
  const { repositories } = store
  const form = await new Response(new Uint8Array(request.body), {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  }).formData()
  const textOf = (value: string | File | null) => (typeof value === 'string' ? value : '')
  const branch = textOf(form.get('branch')) || 'main'
  const parents = form.get('parents')
  if (project.protectedBranches.has(branch)) return fail(403, 'Your credentials do not allow this.')
  const head = (await repositories.head(project.name, branch)) ?? null
  if (parents !== null && head !== null && parents !== head)
    return fail(409, 'The branch has moved: parents must be the head.')
  const write: Record<string, string> = {}
  for (const [name, value] of form.entries())
    if (typeof value !== 'string') write[name.replace(/^\//, '')] = await value.text()
  const remove = form.getAll('files').map((path) => textOf(path).replace(/^\//, ''))
  try {
    const made = await repositories.commit(project.name, {
      branch,
      expected: head,
      parent: typeof parents === 'string' ? parents : head,
      write,
      remove,
      message: textOf(form.get('message')),
    })
    return {
      status: 201,
      text: '',
      headers: {
        location: `${request.url.origin}/2.0/repositories/${project.name}/commit/${made}`,
      },
    }
  } catch {
    return fail(409, 'The branch has moved.')
  }
}

function pulls(project: PeerProject, request: PeerRequest): PeerAnswer {
  const show = (pull: PeerProject['pulls'][number]): PullRequest => ({
    type: 'pullrequest',
    id: pull.number,
    title: pull.title,
    state: 'OPEN',
    links: {
      html: { href: `https://bitbucket.example/${project.name}/pull-requests/${pull.number}` },
    },
  })
  if (request.method === 'GET') {
    const [, from, , into] = (request.url.searchParams.get('q') ?? '').split('"')
    const found = project.pulls.filter(
      (pull) => !pull.closed && pull.from === from && pull.into === into,
    )
    const page: Page<PullRequest> = { values: found.map(show) }
    return { status: 200, json: page }
  }
  const sent = JSON.parse(request.body.toString())
  const pull = {
    number: project.pulls.length + 1,
    title: sent.title,
    from: sent.source.branch.name,
    into: sent.destination.branch.name,
  }
  project.pulls.push(pull)
  return { status: 201, json: show(pull) }
}
