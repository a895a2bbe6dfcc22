import { randomBytes } from 'node:crypto'
import { createEmulator } from 'emulate'
import { freePorts } from '../../../engines/free-ports.ts'
import { githubTarball } from './github-peer-archive.ts'
import { GithubAuthors } from './github-peer-authors.ts'
import { tagMain } from './github-peer-tags.ts'
import type { GitPeer, PeerRight } from './git-peer.ts'
import { deliver, type PeerHook } from './webhook-delivery.ts'
import { PeerServer, type PeerAnswer, type PeerRequest } from './peer-server.ts'

const owner = 'acme'

/**
 * The GitHub emulator behind a proxy that adds what the emulator lacks: it refuses unknown tokens,
 * gives tokens scopes, and serves an Enterprise Server's API below `/api/v3`.
 */
export async function githubPeer(): Promise<GitPeer> {
  // Like GitHub, the emulator limits a token to 5,000 requests an hour. 100 races send more.
  const roots = Array.from({ length: 20 }, () => `root${randomBytes(8).toString('hex')}`)
  let asked = 0
  const nextRoot = () => roots[Math.floor(asked++ / 4_000)] ?? ''
  const github = await createEmulator({
    service: 'github',
    port: (await freePorts(['github'])).github,
    seed: {
      tokens: Object.fromEntries(
        roots.map((root) => [root, { login: owner, scopes: ['repo', 'user'] }]),
      ),
      github: { users: [{ login: owner, name: 'Acme', email: 'acme@example.com' }], repos: [] },
    },
  })
  const tokens = new Map<string, PeerRight>()
  const authors = new GithubAuthors()
  const archived = new Set<string>()
  const hooks = new Map<string, PeerHook[]>()
  let hooksAllowed = true
  /** Branches that the tests declare as branches of a fork. */
  const forks = new Set<string>()
  /** Former and current names in lower case → the current name. GitHub resolves all of them. */
  const names = new Map<string, string>()

  // The emulator's answers are assumed to have the documented shape.
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${github.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${nextRoot()}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  const server: PeerServer = new PeerServer(async (request) => {
    const right = request.token === undefined ? undefined : tokens.get(request.token)
    if (!right) return { status: 401, json: { message: 'Bad credentials', status: '401' } }
    const fine = request.token?.startsWith('github_pat_')
    if (right === 'read' && request.method !== 'GET')
      return {
        status: 403,
        json: { message: 'Resource not accessible by personal access token', status: '403' },
        headers: { 'x-accepted-github-permissions': 'contents=write' },
      }
    if (!hooksAllowed && request.path.includes('/hooks'))
      return {
        status: 404,
        json: { message: 'Not Found', status: '404' },
        headers: { 'x-accepted-github-permissions': 'repository_hooks=write' },
      }
    const asked = request.path.replace(/^\/api\/v3/, '')
    const told =
      authors.answer(asked, request.url) ??
      (await githubTarball(asked, { call, origin: server.url }))
    if (told) return told
    const answer = await forward(request, { base: github.url, token: nextRoot(), names })
    noteHooks(hooks, request, answer)
    const headers = {
      ...answer.headers,
      ...(!fine && { 'x-oauth-scopes': right === 'write' ? 'repo, user' : 'read:user' }),
    }
    const raw = forks.has(asked)
      ? asFork(answer.raw)
      : withArchived(authors.verified(asked, answer.raw), archived)
    return { ...answer, headers, raw }
  })
  await server.listen()

  const branchOf = async (name: string, branch: string): Promise<string | undefined> =>
    call('GET', `/repos/${name}/git/ref/heads/${branch}`).then(
      (ref) => ref.object.sha,
      () => undefined,
    )
  const peer: GitPeer = {
    product: 'github',
    provider: 'github',
    server,
    async createRepository(name, files) {
      names.set(name.toLowerCase(), name)
      await call('POST', '/user/repos', {
        name: name.split('/')[1],
        private: true,
        auto_init: files !== undefined,
      })
      if (files)
        await peer.edit(name, {
          write: files,
          remove: ['README.md'].filter((path) => !(path in files)),
        })
    },
    token(right = 'write') {
      const token = `ghp_${randomBytes(18).toString('hex')}`
      tokens.set(token, right)
      return token
    },
    revoke: (token) => void tokens.delete(token),
    archive: async (name) => void archived.add(name.toLowerCase()),
    unarchive: async (name) => void archived.delete(name.toLowerCase()),
    rename: async (from, to) => {
      names.set(from.toLowerCase(), to).set(to.toLowerCase(), to)
      await call('PATCH', `/repos/${from}`, { name: to.split('/')[1] })
    },
    protect: async (name, branch) => {
      await call('PUT', `/repos/${name}/branches/${branch}/protection`, {
        required_pull_request_reviews: { required_approving_review_count: 1 },
        enforce_admins: true,
        required_status_checks: null,
        restrictions: null,
      })
    },
    merge: async (name, { from, into }) => {
      const pulls = await call('GET', `/repos/${name}/pulls?state=open`)
      const pull = pulls.find(
        ({ head, base }: Record<string, { ref: string }>) =>
          head?.ref === from && base?.ref === into,
      )
      await call('DELETE', `/repos/${name}/branches/${into}/protection`)
      await call('PUT', `/repos/${name}/pulls/${pull.number}/merge`, {})
      await peer.protect(name, into)
    },
    async edit(name, change) {
      const { branch = 'main', write = {}, remove = [], message = 'an edit', email } = change
      const head = await branchOf(name, branch)
      if (!head) {
        for (const [path, content] of Object.entries(write))
          await call('PUT', `/repos/${name}/contents/${path}`, {
            message,
            branch,
            content: Buffer.from(content).toString('base64'),
          })
        return
      }
      const parent = change.onTopOf === undefined ? head : await branchOf(name, change.onTopOf)
      const { tree: base } = await call('GET', `/repos/${name}/git/commits/${parent}`)
      const blob = { mode: '100644', type: 'blob' }
      const tree = await call('POST', `/repos/${name}/git/trees`, {
        base_tree: base.sha,
        tree: [
          ...Object.entries(write).map(([path, content]) => ({ ...blob, path, content })),
          ...remove.map((path) => ({ ...blob, path, sha: null })),
        ],
      })
      const commit = await call('POST', `/repos/${name}/git/commits`, {
        message,
        tree: tree.sha,
        parents: [parent],
        ...(email !== undefined && {
          author: { name: 'peer', email },
          committer: { name: 'peer', email },
        }),
      })
      const ref = `/repos/${name}/git/refs/heads/${branch}`
      await call('PATCH', ref, { sha: commit.sha, force: true })
      const { pusher, signed = false } = change
      authors.note(name, { branch, before: head, after: commit.sha, email: pusher, signed })
    },
    async tree(name, branch = 'main') {
      const head = await branchOf(name, branch)
      if (!head) return {}
      const { tree } = await call('GET', `/repos/${name}/git/trees/${head}?recursive=1`)
      const found: Record<string, string> = {}
      for (const entry of tree)
        if (entry.type === 'blob') {
          const { content } = await call('GET', `/repos/${name}/git/blobs/${entry.sha}`)
          found[entry.path] = Buffer.from(content, 'base64').toString()
        }
      return found
    },
    async messages(name, branch = 'main') {
      const commits = await call('GET', `/repos/${name}/commits?sha=${branch}&per_page=100`)
      return commits.map(({ commit }: { commit: { message: string } }) => commit.message.trim())
    },
    async pullRequests(name) {
      const pulls = await call('GET', `/repos/${name}/pulls?state=open`)
      return pulls.map(({ head, base }: Record<string, { ref: string }>) => ({
        from: head?.ref ?? '',
        into: base?.ref ?? '',
      }))
    },
    async openPull(name, { from, into = 'main', fork = false }) {
      const { number } = await call('POST', `/repos/${name}/pulls`, {
        title: 'a change',
        head: from,
        base: into,
      })
      if (fork) forks.add(`/repos/${name}/pulls/${number}`)
      return number
    },
    async branch(name, from, branch) {
      const sha = await branchOf(name, from)
      await call('POST', `/repos/${name}/git/refs`, { ref: `refs/heads/${branch}`, sha })
    },
    tag: async (name, tag) => tagMain(call, name, tag),
    async comments(name, number) {
      const found = await call('GET', `/repos/${name}/issues/${number}/comments`)
      return found.map(({ body }: { body: string }) => body)
    },
    async removeComments(name, number) {
      for (const { id } of await call('GET', `/repos/${name}/issues/${number}/comments`))
        await call('DELETE', `/repos/${name}/issues/comments/${id}`)
    },
    hooks: async (name) => hooks.get(name) ?? [],
    allowHooks: (allowed) => void (hooksAllowed = allowed),
    async deliver(name, event, how) {
      const [hook] = hooks.get(name) ?? []
      if (!hook) throw new Error(`${name} has no webhook`)
      const commit = 'push' in event ? await branchOf(name, event.push) : undefined
      const told = 'push' in event ? { ...event, commit: commit ?? '' } : event
      return deliver('github', { hook, repository: name, event: told }, how)
    },
    async close() {
      await server.close()
      await github.close()
    },
  }
  return peer
}

/** The emulator hides a webhook's secret, so the proxy reads it from the request that sets it. */
function noteHooks(
  hooks: Map<string, PeerHook[]>,
  request: PeerRequest,
  { status, raw }: { status: number; raw: Buffer },
): void {
  const [, name = '', id] = /\/repos\/([^/]+\/[^/]+)\/hooks(?:\/(\d+))?$/.exec(request.path) ?? []
  const known = hooks.get(name) ?? []
  if (request.method === 'DELETE' && status === 204)
    hooks.set(
      name,
      known.filter((hook) => hook.id !== id),
    )
  if (request.method !== 'POST' || status !== 201 || name === '') return
  const { config, events } = JSON.parse(request.body.toString())
  const made = { id: String(JSON.parse(raw.toString()).id), url: config.url, events }
  hooks.set(name, [...known, { ...made, secret: config.secret }])
}

async function forward(
  request: PeerRequest,
  { base, token, names }: { base: string; token: string; names: ReadonlyMap<string, string> },
): Promise<PeerAnswer & { raw: Buffer }> {
  const path = request.path
    .replace(/^\/api\/v3/, '')
    .replace(/^\/repos\/([^/]+\/[^/]+)/, (all, name: string) => {
      const now = names.get(name.toLowerCase())
      return now ? `/repos/${now}` : all
    })
  const withBody = request.body.length > 0
  const answer = await fetch(`${base}${path}${request.url.search}`, {
    method: request.method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${token}`,
      ...(withBody && { 'content-type': 'application/json' }),
    },
    ...(withBody && { body: new Uint8Array(request.body) }),
  })
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => ['content-type', 'location', 'link'].includes(name)),
  )
  return { status: answer.status, headers, raw: Buffer.from(await answer.arrayBuffer()) }
}

/** A fork in the emulator belongs to another owner, so a test would need that owner's token. */
function asFork(raw: Buffer): Buffer {
  const pull = JSON.parse(raw.toString())
  pull.head.repo.id += 1
  return Buffer.from(JSON.stringify(pull))
}

/** The emulator cannot archive a repository. */
function withArchived(raw: Buffer, archived: Set<string>): Buffer {
  if (archived.size === 0) return raw
  try {
    const body = JSON.parse(raw.toString())
    if (!archived.has(String(body.full_name).toLowerCase())) return raw
    return Buffer.from(JSON.stringify({ ...body, archived: true }))
  } catch {
    return raw
  }
}
