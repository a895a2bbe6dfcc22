import type { RefChange } from '../../domain/git/pushes-between.ts'

export type ReadRequest = {
  branch: string
  commit: string
  /** Without an end slash; the empty one is the whole repository. */
  folders: readonly string[]
  /** Blob id → content: what is known already is not asked for. */
  known: ReadonlyMap<string, string>
}

export type CommitRange = {
  /** Exclusive; null begins with the first commit. */
  from: string | null
  to: string
  folders: readonly string[]
}

/** Who made a commit or a push. Whoever commits chooses what a commit claims: only the host proves. */
export type Attribution = {
  /** Addresses that it names. */
  claimed: readonly string[]
  /** Verified addresses of the account that the host knows to have made it. */
  proved: readonly string[]
}

export type GitPush = RefChange & Attribution

export type CommitAuthors = {
  /** Of each commit that touched the folders. */
  commits: readonly Attribution[]
  /** False where there are more than are looked at. */
  complete: boolean
}

/** Reading a workspace's files out of a repository. */
export interface GitSource {
  /** Whole path → content of every file below the folders, text alone, within the limits of a configuration. */
  readFiles(name: string, request: ReadRequest): Promise<Record<string, string>>
  authors(name: string, range: CommitRange): Promise<CommitAuthors>
  /**
   * Who moved the branch and from where to where, newest first, as the host tells it when it is
   * asked: a delivery can be forged by whoever knows its secret. Null where this host, or this
   * token, is not told.
   */
  pushes(name: string, branch: string): Promise<GitPush[] | null>
}

/** Commits are looked at this many pages far: whoever wrote more than that at once is not asked for one by one. */
export const maxAuthorPages = 3
export const authorsPerPage = 100
/** Pushes are looked at this far. */
export const maxPushes = 100
