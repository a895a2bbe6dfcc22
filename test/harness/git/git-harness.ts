import { createHarness, type Harness } from '../create-harness.ts'
import type { TestUser } from '../test-user.ts'
import type { Outbound } from '../../../gateways/outbound/outbound.ts'
import type { GitPeer } from './git-peer.ts'

export { eventually } from '../eventually.ts'
export { hostsOf, peerMakers } from './peer-makers.ts'

export type GitHarness = Harness & {
  peer: GitPeer
  /** The body of POST /api/git/connections for this repository. */
  body(repo: string, more?: Record<string, unknown>): Record<string, unknown>
  /** The audit events of an organization whose names start with this text. */
  events(
    owner: TestUser,
    begin: string,
  ): Promise<Array<{ event: string; detail: Record<string, unknown> }>>
}

/** The harness with a worker, and one provider whose address the operator has allowed. */
export async function gitHarness(
  makePeer: () => Promise<GitPeer>,
  { worker = true, env = {} }: { worker?: boolean; env?: Record<string, string> } = {},
): Promise<GitHarness> {
  const peer = await makePeer()
  const harness = await createHarness({
    worker,
    env: { CC_PRIVATE_HOSTS: `git=127.0.0.1:${peer.server.port},git=127.0.0.1:1`, ...env },
    outbound: wayTo(peer),
  })
  return {
    ...harness,
    peer,
    body: (repo, more = {}) => ({
      provider: peer.provider,
      ...(peer.product !== 'bitbucket-cloud' && { host: peer.server.url }),
      token: peer.token(),
      repo,
      ...more,
    }),
    async events(owner, begin) {
      const { entries } = (await owner.get('/api/audit?limit=200')).json()
      return entries.filter(({ event }: { event: string }) => event.startsWith(begin)).toReversed()
    },
    async close() {
      await harness.close()
      await peer.close()
    },
  }
}

/**
 * Sends requests for Bitbucket Cloud's public addresses to the peer, because Bitbucket Cloud has no
 * other addresses. The rules of the real outbound client apply to the peer's address too.
 */
export function wayTo(peer: GitPeer): (real: Outbound) => Outbound {
  if (peer.product !== 'bitbucket-cloud') return (real) => real
  const led = (url: string | URL) => {
    const { origin, pathname, search } = new URL(url)
    return /^https:\/\/(api\.)?bitbucket\.org$/.test(origin)
      ? `${peer.server.url}${pathname}${search}`
      : url
  }
  return (real) => ({
    ...real,
    request: async (url, options) => real.request(led(url), options),
    stream: async (url, options) => real.stream(led(url), options),
  })
}
