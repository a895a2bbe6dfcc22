import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AppError } from '../../../domain/errors.ts'
import { connectGitHost } from '../../../gateways/git/connect-git-host.ts'
import type { GitHost } from '../../../gateways/git/git-host.ts'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'
import { bitbucketCloudPeer } from '../../harness/git/bitbucket-cloud-peer.ts'
import { bitbucketDataCenterPeer } from '../../harness/git/bitbucket-data-center-peer.ts'
import type { GitPeer } from '../../harness/git/git-peer.ts'
import { githubPeer } from '../../harness/git/github-peer.ts'
import { gitlabPeer } from '../../harness/git/gitlab-peer.ts'
import type { PeerFault } from '../../harness/git/peer-server.ts'

const makers = { githubPeer, gitlabPeer, bitbucketCloudPeer, bitbucketDataCenterPeer }
const files = {
  'README.md': 'hello\n',
  'a/one.tf': '# one\n',
  'a/two.tf': '# two\n',
  'b/x.tf': '# x\n',
}

// Each provider in trouble: what it does then is the same for all of them.
describe.each(Object.entries(makers))('%s in trouble', (_, makePeer) => {
  let peer: GitPeer
  let host: GitHost
  let counter = 0
  beforeAll(async () => {
    peer = await makePeer()
    const outbound = createOutbound({
      privateHosts: [{ use: 'git', host: '127.0.0.1', port: peer.server.port }],
    })
    const { product } = peer
    host = connectGitHost(outbound, { product, origin: peer.server.url, token: peer.token() })
  })
  afterAll(async () => peer.close())

  const repository = async (content: Record<string, string> | undefined = files) => {
    counter += 1
    const name = `acme/trouble-${counter}`
    await peer.createRepository(name, content)
    return { name, head: (await host.head(name, 'main')) ?? '' }
  }
  const failure = async (work: Promise<unknown>): Promise<AppError> => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(AppError)
    return error as AppError
  }

  test('trouble is told in fixed words: a 500, half an answer, a lost line, a limit', async () => {
    const { name } = await repository()
    const withFault = async (fault: typeof peer.server.fault, work: () => Promise<unknown>) => {
      peer.server.fault = fault
      try {
        return await failure(work())
      } finally {
        peer.server.fault = () => undefined
      }
    }
    const ask = async () => host.repository(name)
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
    // GitHub's and GitLab's way: no Retry-After, but the moment at which the quota is whole again.
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

  test('who is slow, or sends without end, is given up in fixed words', async () => {
    const { name, head } = await repository()
    const real = createOutbound({
      privateHosts: [{ use: 'git', host: '127.0.0.1', port: peer.server.port }],
    })
    /** The real way out with less patience, and less room. */
    const hostOf = (limits: { timeoutMs?: number; maxBytes?: number }) =>
      connectGitHost(
        {
          ...real,
          request: async (url, options) => real.request(url, { ...options, ...limits }),
          stream: async (url, options) => real.stream(url, { ...options, ...limits }),
        },
        { product: peer.product, origin: peer.server.url, token: peer.token() },
      )
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    peer.server.fault = async (): Promise<PeerFault> => {
      await released
      return 'hang-up'
    }
    try {
      const slow = await failure(hostOf({ timeoutMs: 300 }).repository(name))
      expect(slow.fault).toBe('unavailable')
      expect(slow.message).not.toMatch(/ECONN|socket|127\.0\.0\.1/i)
    } finally {
      release()
      peer.server.fault = () => undefined
    }
    // Final: it does not get smaller by asking for days.
    const small = hostOf({ maxBytes: 100 })
    const at = { branch: 'main', commit: head, folder: 'a' }
    const works = [async () => small.repository(name), async () => small.listFiles(name, at)]
    for (const work of works) {
      const large = await failure(work())
      expect([large.fault, large.code]).toEqual(['conflict', 'git_repository_too_large'])
    }
  })
})
