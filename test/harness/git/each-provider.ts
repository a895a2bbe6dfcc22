import { afterAll, beforeAll, describe, expect } from 'vitest'
import { AppError } from '../../../domain/errors.ts'
import { connectGitHost } from '../../../gateways/git/connect-git-host.ts'
import type { GitHost } from '../../../gateways/git/git-host.ts'
import { createOutbound, type Outbound } from '../../../gateways/outbound/outbound.ts'
import type { GitPeer } from './git-peer.ts'
import { peerMakers } from './peer-makers.ts'

/** One provider under test. `peer` and `host` are set once its tests run. */
export type Provider = {
  readonly peer: GitPeer
  /** The host's client, with a token that has all rights. */
  readonly host: GitHost
  /** The real outbound client to the peer. */
  readonly outbound: Outbound
  hostWith(token: string, outbound?: Outbound): GitHost
  /** Creates a repository with a new name and returns its head. Without `files` it is empty. */
  repository(files?: Record<string, string>): Promise<{ name: string; head: string }>
}

/** Runs the same cases for each provider, each against its own peer. */
export function eachProvider(title: string, define: (provider: Provider) => void): void {
  describe.each(Object.entries(peerMakers))(title, (_, makePeer) => {
    let made: Pick<Provider, 'peer' | 'host' | 'outbound'> | undefined
    let counter = 0
    const now = () => {
      if (!made) throw new Error('a peer is there within tests alone')
      return made
    }
    const provider: Provider = {
      get peer() {
        return now().peer
      },
      get host() {
        return now().host
      },
      get outbound() {
        return now().outbound
      },
      hostWith: (token, outbound = now().outbound) => {
        const { product, server } = now().peer
        return connectGitHost(outbound, { product, origin: server.url, token })
      },
      async repository(files) {
        counter += 1
        const name = `acme/repository-${counter}`
        await now().peer.createRepository(name, files)
        return { name, head: (await now().host.head(name, 'main')) ?? '' }
      },
    }
    beforeAll(async () => {
      const peer = await makePeer()
      const { port, url: origin } = peer.server
      const outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
      const host = connectGitHost(outbound, { product: peer.product, origin, token: peer.token() })
      made = { peer, host, outbound }
    })
    afterAll(async () => made?.peer.close())
    define(provider)
  })
}

/** The error that `work` rejects with, which must be an AppError. */
export async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AppError)
  return error as AppError
}
