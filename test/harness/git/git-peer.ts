import type { GitProduct, GitProvider } from '../../../domain/git/providers.ts'
import type { PeerServer } from './peer-server.ts'
import type { PeerEvent, PeerHook, SentDelivery } from './webhook-delivery.ts'

export type PeerRight = 'write' | 'read'

/** A test provider, and the changes that a test makes at it without the product's knowledge. */
export type GitPeer = {
  product: GitProduct
  provider: GitProvider
  server: PeerServer
  /** Without `files` the repository is empty. */
  createRepository(name: string, files?: Record<string, string>): Promise<void>
  /** A token that this provider accepts, with this right to all repositories. */
  token(right?: PeerRight): string
  revoke(token: string): void
  archive(name: string): Promise<void>
  unarchive(name: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  protect(name: string, branch: string): Promise<void>
  /** Merges the open pull request between these branches, even if the branch is protected. */
  merge(name: string, request: { from: string; into: string }): Promise<void>
  /** A commit by somebody outside the product. */
  edit(
    name: string,
    change: {
      branch?: string
      /** Another branch on whose head the commit is made, so that the push moves this one back. */
      onTopOf?: string
      write?: Record<string, string>
      remove?: string[]
      message?: string
      /** The address of the author and the committer. */
      email?: string
      /** Whether the host shows a verified signature by an account with this address. */
      signed?: boolean
      /** The public address of the account that pushed. Without it, the account shows none. */
      pusher?: string
    },
  ): Promise<void>
  /**
   * The bare repository's folder, for objects that the `git` program refuses to write. GitHub's
   * emulator has none.
   */
  path?(name: string): string
  /** The files at a branch's head, by path. */
  tree(name: string, branch?: string): Promise<Record<string, string>>
  messages(name: string, branch?: string): Promise<string[]>
  pullRequests(name: string): Promise<Array<{ from: string; into: string }>>
  /** Opens a pull request from an existing branch or from a fork, and returns its number. */
  openPull(name: string, pull: { from: string; into?: string; fork?: boolean }): Promise<number>
  /** Creates a branch at the head of another one. */
  branch(name: string, from: string, branch: string): Promise<void>
  /** Tags the head of `main`. */
  tag(name: string, tag: string): Promise<void>
  comments(name: string, number: number): Promise<string[]>
  removeComments(name: string, number: number): Promise<void>
  hooks(name: string): Promise<PeerHook[]>
  /** Allows or forbids all tokens to create webhooks. */
  allowHooks(allowed: boolean): void
  /** Sends the current state of this push or pull request to the repository's first webhook. */
  deliver(
    name: string,
    event:
      | { push: string }
      | { tag: string; commit?: string }
      | { pullRequest: number; action?: 'opened' | 'updated' },
    how?: SentDelivery,
  ): Promise<{ status: number; text: string }>
  close(): Promise<void>
}
export type { PeerEvent }
