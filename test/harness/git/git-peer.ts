import type { GitProduct, GitProvider } from '../../../domain/git/providers.ts'
import type { PeerServer } from './peer-server.ts'
import type { PeerEvent, PeerHook, SentDelivery } from './webhook-delivery.ts'

export type PeerRight = 'write' | 'read'

/** One provider to test against, and what a test must be able to do behind its back. */
export type GitPeer = {
  product: GitProduct
  provider: GitProvider
  server: PeerServer
  /** Without files the repository is empty. */
  createRepository(name: string, files?: Record<string, string>): Promise<void>
  /** A token that this provider takes, with these rights to everything. */
  token(right?: PeerRight): string
  revoke(token: string): void
  archive(name: string): Promise<void>
  unarchive(name: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  protect(name: string, branch: string): Promise<void>
  /** Merges the open pull request between these, protected or not. */
  merge(name: string, request: { from: string; into: string }): Promise<void>
  /** Somebody else's commit. */
  edit(
    name: string,
    change: {
      branch?: string
      write?: Record<string, string>
      remove?: string[]
      message?: string
      /** The address of its author and committer. */
      email?: string
      /** Signed by the key of an account that has this address, as the host has verified. */
      signed?: boolean
      /** The address that the account which pushed it shows; without one it shows none. */
      pusher?: string
    },
  ): Promise<void>
  /** The bare repository's own folder, for what no `git` would write. GitHub's emulator has none. */
  path?(name: string): string
  /** Path → content of a branch's head. */
  tree(name: string, branch?: string): Promise<Record<string, string>>
  messages(name: string, branch?: string): Promise<string[]>
  pullRequests(name: string): Promise<Array<{ from: string; into: string }>>
  /** Somebody's pull request, of a branch that is there or of a fork; returns its number. */
  openPull(name: string, pull: { from: string; into?: string; fork?: boolean }): Promise<number>
  /** A branch at another one's head. */
  branch(name: string, from: string, branch: string): Promise<void>
  comments(name: string, number: number): Promise<string[]>
  removeComments(name: string, number: number): Promise<void>
  hooks(name: string): Promise<PeerHook[]>
  /** Takes from every token the right to make webhooks, or gives it back. */
  allowHooks(allowed: boolean): void
  /** Tells the repository's first webhook of what there is now. */
  deliver(
    name: string,
    event: { push: string } | { pullRequest: number; action?: 'opened' | 'updated' },
    how?: SentDelivery,
  ): Promise<{ status: number; text: string }>
  close(): Promise<void>
}
export type { PeerEvent }
