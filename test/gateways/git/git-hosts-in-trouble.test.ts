import { expect, test } from 'vitest'
import { AppError } from '../../../domain/errors.ts'
import { webhookKeys } from '../../../domain/git/webhook-secret.ts'
import type { GitHost } from '../../../gateways/git/git-host.ts'
import { eachProvider, failureOf } from '../../harness/git/each-provider.ts'
import type { PeerAnswer, PeerFault } from '../../harness/git/peer-server.ts'

const files = {
  'README.md': 'hello\n',
  'a/one.tf': '# one\n',
  'a/two.tf': '# two\n',
  'b/x.tf': '# x\n',
}

const sha = 'a'.repeat(40)
const pull = { number: 1, open: true, into: 'main', from: 'topic', fork: false }

/** A call of each method; `tsc` asks for one of a new method. */
const callsOf = (host: GitHost, name: string): Record<keyof GitHost, () => Promise<unknown>> => ({
  checkToken: async () => host.checkToken(),
  repository: async () => host.repository(name),
  missingRights: async () =>
    host.missingRights(
      { id: '1', fullName: name, defaultBranch: 'main', private: true, archived: false },
      'write',
    ),
  repositories: async () => host.repositories({ page: 1 }),
  head: async () => host.head(name, 'main'),
  tag: async () => host.tag(name, 'v1'),
  readFile: async () => host.readFile(name, { commit: sha, path: 'a' }),
  listFiles: async () => host.listFiles(name, { branch: 'main', commit: sha, folder: 'a' }),
  commit: async () =>
    host.commit(name, {
      branch: 'main',
      expectedHead: sha,
      message: 'one',
      change: { write: { a: 'b' }, remove: [] },
    }),
  createBranch: async () => host.createBranch(name, { branch: 'topic', commit: sha }),
  compare: async () => host.compare(name, { base: sha, head: 'b'.repeat(40) }),
  isProtected: async () => host.isProtected(name, 'main'),
  pullRequest: async () =>
    host.pullRequest(name, { from: 'topic', into: 'main', title: 'one', body: 'two' }),
  pull: async () => host.pull(name, 1),
  closePull: async () => host.closePull(name, { from: 'topic', into: 'main' }),
  changedPaths: async () => host.changedPaths(name, pull),
  findComment: async () => host.findComment(name, { number: 1, words: 'plan' }),
  writeComment: async () => host.writeComment(name, { number: 1, id: null, body: 'plan' }),
  readFiles: async () =>
    host.readFiles(name, { branch: 'main', commit: sha, folders: ['a'], known: new Set() }),
  authors: async () => host.authors(name, { from: null, to: sha, folders: ['a'] }),
  pushes: async () => host.pushes(name, 'main'),
  registerWebhook: async () =>
    host.registerWebhook(name, {
      url: 'https://cc.example/hook',
      keys: webhookKeys(Buffer.alloc(32)),
    }),
  removeWebhook: async () => host.removeWebhook(name, 'https://cc.example/hook'),
})

// Each provider passes the same cases of failures.
eachProvider('%s in trouble', (provider) => {
  test('fixed messages: a 500, a truncated answer, a lost connection, a rate limit', async () => {
    const { name } = await provider.repository(files)
    const withFault = async (
      fault: typeof provider.peer.server.fault,
      work: () => Promise<unknown>,
    ) => {
      provider.peer.server.fault = fault
      try {
        return await failureOf(work())
      } finally {
        provider.peer.server.fault = () => undefined
      }
    }
    const ask = async () => provider.host.repository(name)
    const wrong = await withFault(
      () => ({ status: 500, text: '<h1>at com.example.Secret(...)</h1>' }),
      ask,
    )
    expect([wrong.fault, wrong.message]).toEqual([
      'unavailable',
      expect.stringMatching(/is having trouble \(500\)\.$/),
    ])
    const half = await withFault((__, when) => (when === 'after' ? 'half' : undefined), ask)
    const lost = await withFault(() => 'hang-up', ask)
    for (const error of [half, lost]) {
      expect(error.fault).toBe('unavailable')
      expect(error.message).not.toMatch(/ECONN|socket|127\.0\.0\.1|aborted/i)
    }
    const limited = await withFault(
      () => ({ status: 429, json: { message: 'slow down' }, headers: { 'retry-after': '7' } }),
      ask,
    )
    expect([limited.code, limited.retryAfterSeconds]).toEqual(['git_rate_limited', 7])
    // GitHub and GitLab send no Retry-After, but the time at which the quota is reset.
    const reset = String(Math.ceil(Date.now() / 1_000) + 90)
    for (const [status, prefix] of [
      [403, 'x-ratelimit'],
      [429, 'x-ratelimit'],
      [429, 'ratelimit'],
    ] as const) {
      const headers = { [`${prefix}-remaining`]: '0', [`${prefix}-reset`]: reset }
      const spent = await withFault(() => ({ status, json: { message: 'spent' }, headers }), ask)
      expect(spent.code).toBe('git_rate_limited')
      expect(spent.retryAfterSeconds).toBeGreaterThan(60)
      expect(spent.retryAfterSeconds).toBeLessThanOrEqual(91)
    }
    const message = 'You have exceeded a secondary rate limit.'
    const secondary = await withFault(() => ({ status: 403, json: { message } }), ask)
    expect([secondary.code, secondary.retryAfterSeconds]).toEqual(['git_rate_limited', 60])
  })

  const answering = async (answer: PeerAnswer, work: () => Promise<unknown>) => {
    provider.peer.server.fault = () => answer
    try {
      return await failureOf(work())
    } finally {
      provider.peer.server.fault = () => undefined
    }
  }

  test('a server that is not this provider does not count as accepting the token', async () => {
    const html = { 'content-type': 'text/html' }
    for (const stranger of [
      { status: 200, text: '<h1>Sign in</h1>', headers: html },
      { status: 200, json: {} },
      { status: 200, json: [] },
      { status: 204 },
      { status: 404, json: { message: 'Not Found' } },
      { status: 400, text: 'what?' },
      { status: 410, json: { message: 'Gone' } },
    ]) {
      const error = await answering(stranger, async () => provider.host.checkToken())
      expect([error.fault, error.code], JSON.stringify(stranger)).toEqual([
        'unavailable',
        'git_provider_unavailable',
      ])
    }
  })

  test('a host’s reason that repeats the token is masked', async () => {
    const token = provider.peer.token()
    const plain = `bad ${token}, ${btoa(token)} or ${btoa(`x:${token}`)}`
    const answer = { status: 401, json: { message: plain, errors: [{ message: plain }] } }
    const error = await answering(answer, async () => provider.hostWith(token).checkToken())
    expect(error.code).toBe('git_token_rejected')
    expect(error.message).toMatch(/bad \[token\], \[token\]/)
    expect(error.message).not.toContain(token)
  })

  test('Retry-After may be a date or seconds, and also applies to a 503', async () => {
    const moment = new Date(Date.now() + 90_000).toUTCString()
    for (const status of [429, 503]) {
      const answer = { status, json: { message: 'later' }, headers: { 'retry-after': moment } }
      const error = await answering(answer, async () => provider.host.checkToken())
      expect(error.retryAfterSeconds).toBeGreaterThan(80)
      expect(error.retryAfterSeconds).toBeLessThanOrEqual(91)
    }
  })

  test('a slow or endless answer is given up with a fixed message', async () => {
    const { name, head } = await provider.repository(files)
    const real = provider.outbound
    /** The real outbound client with lower limits of time and size. */
    const hostOf = (limits: { timeoutMs?: number; maxBytes?: number }) =>
      provider.hostWith(provider.peer.token(), {
        ...real,
        request: async (url, options) => real.request(url, { ...options, ...limits }),
        stream: async (url, options) => real.stream(url, { ...options, ...limits }),
      })
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    provider.peer.server.fault = async (): Promise<PeerFault> => {
      await released
      return 'hang-up'
    }
    try {
      const slow = await failureOf(hostOf({ timeoutMs: 300 }).repository(name))
      expect(slow.fault).toBe('unavailable')
      expect(slow.message).not.toMatch(/ECONN|socket|127\.0\.0\.1/i)
    } finally {
      release()
      provider.peer.server.fault = () => undefined
    }
    // Not retryable, because a repeated request would not be smaller.
    const small = hostOf({ maxBytes: 100 })
    const at = { branch: 'main', commit: head, folder: 'a' }
    const works = [async () => small.repository(name), async () => small.listFiles(name, at)]
    for (const work of works) {
      const large = await failureOf(work())
      expect([large.fault, large.code]).toEqual(['conflict', 'git_repository_too_large'])
    }
  })

  test('every method fails with an AppError of a fixed text, whatever the host answers', async () => {
    const { name } = await provider.repository(files)
    const { host, peer } = provider
    const token = peer.token()
    const answers: PeerFault[] = [
      // Of no shape that a provider documents: the fields that are read are not there.
      { status: 200, json: [null] },
      { status: 200, json: { values: [null] } },
      { status: 409, json: { message: 'conflict' } },
      'hang-up',
    ]
    const notUnderstood = new Set<string>()
    for (const answer of answers)
      for (const [method, call] of Object.entries(callsOf(host, name))) {
        peer.server.fault = () => answer
        const failure: unknown = await call().then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        peer.server.fault = () => undefined
        if (failure === undefined) continue
        const what = `${method}, answered with ${JSON.stringify(answer)}`
        expect(failure, what).toBeInstanceOf(AppError)
        const { message } = failure as AppError
        expect(message, what).not.toMatch(/TypeError|undefined|null|127\.0\.0\.1|ECONN|socket/)
        expect(message, what).not.toContain(token)
        if (message.includes('not understood')) notUnderstood.add(method)
      }
    // Else the answers above would prove nothing about what a client library throws.
    expect(notUnderstood.size).toBeGreaterThan(8)
  })
})
