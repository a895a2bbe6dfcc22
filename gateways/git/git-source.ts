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

export type CommitAuthors = {
  /** Of each commit that touched the folders: the addresses of its author and of its committer. */
  commits: ReadonlyArray<readonly string[]>
  /** False where there are more than are looked at. */
  complete: boolean
}

/** Reading a workspace's files out of a repository. */
export interface GitSource {
  /** Whole path → content of every file below the folders, text alone, within the limits of a configuration. */
  readFiles(name: string, request: ReadRequest): Promise<Record<string, string>>
  authors(name: string, range: CommitRange): Promise<CommitAuthors>
}

/** Commits are looked at this many pages far: whoever wrote more than that at once is not asked for one by one. */
export const maxAuthorPages = 3
export const authorsPerPage = 100
