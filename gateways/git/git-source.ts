import type { SourceFiles } from '../../domain/workspaces/assemble-files.ts'
import type { CommitWords } from './read-commit.ts'
import type { RefChange } from '../../domain/git/pushes-between.ts'

export type ReadRequest = {
  branch: string
  commit: string
  /** Without an end slash; the empty one is the whole repository. */
  folders: readonly string[]
  /** Blob ids whose contents are not fetched. */
  known: ReadonlySet<string>
}

export type CommitRange = {
  /** Exclusive; null starts at the first commit. */
  from: string | null
  to: string
  folders: readonly string[]
}

/** Who made a commit or a push. The committer chooses what a commit claims; only the host proves. */
export type Attribution = {
  /** Addresses that it names. */
  claimed: readonly string[]
  /** Verified addresses of the account that the host knows to have made it. */
  proved: readonly string[]
}

export type ListedCommit = Attribution & { words?: CommitWords }

export type GitPush = RefChange & Attribution

export type CommitAuthors = {
  /** Of each commit that touched the folders. */
  commits: readonly ListedCommit[]
  /** False if there are more commits than are examined. */
  complete: boolean
}

/** Reading a workspace's files out of a repository. */
export interface GitSource {
  /** Every file below the folders, and the contents that are not known; within the limits of a configuration. */
  readFiles(name: string, request: ReadRequest): Promise<SourceFiles>
  authors(name: string, range: CommitRange): Promise<CommitAuthors>
  /**
   * The moves of the branch, newest first, as the host reports them when it is asked: an attacker with its
   * secret could forge a delivery. Null if this host does not report them to this token.
   */
  pushes(name: string, branch: string): Promise<GitPush[] | null>
}

/** How many pages of commits are examined. */
export const maxAuthorPages = 3
export const authorsPerPage = 100
/** Pushes are looked at this far. */
export const maxPushes = 100
