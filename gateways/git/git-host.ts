import type { FileChange } from '../../domain/git/changes-between.ts'
import type { GitPulls } from './git-pulls.ts'
import type { GitSource } from './git-source.ts'
import type { GitWebhooks } from './git-webhooks.ts'

export type GitRepository = {
  /** The provider's own id, which does not change with renames and transfers. */
  id: string
  fullName: string
  /** Null while the repository is empty. */
  defaultBranch: string | null
  private: boolean
  archived: boolean
}

export type GitChange = {
  /** Path → whole content. */
  write: Readonly<Record<string, string>>
  remove: readonly string[]
}

export type CommitRequest = {
  branch: string
  /** The commit that the change is based on; null creates the branch in an empty repository. */
  expectedHead: string | null
  message: string
  change: GitChange
  /** All files of the changed folders at the expected head, if known; saves looking for new ones. */
  found?: ReadonlyMap<string, string>
}

export type PullRequest = { number: number; url: string; state: 'open' | 'merged' | 'closed' }

/** A comparison ends here. With as many changes, the one that matters may have been left out. */
export const maxChanges = 300

/**
 * One connection's view of its provider. Names are `owner/repository`, commits are full hashes.
 * Every failure is an AppError with a fixed text and, where the provider gave one as JSON, its reason.
 * Conflicts have the codes `git_head_moved` and `git_branch_protected`.
 */
export interface GitHost extends GitSource, GitWebhooks, GitPulls {
  /** Throws if the token is not accepted. Some hosts need a repository's name to tell. */
  checkToken(repo?: string): Promise<void>
  repository(name: string): Promise<GitRepository>
  /** The permissions that this token lacks, by the provider's own names. */
  missingRights(repository: GitRepository, need: 'read' | 'write'): Promise<string[]>
  /** `near`: a known repository, for tokens that cannot list what they reach. */
  repositories(query: { q?: string | undefined; page: number; near?: string | null }): Promise<{
    repos: GitRepository[]
    nextPage: number | null
  }>
  head(name: string, branch: string): Promise<string | null>
  /** The commit that a tag names now; null if there is no such tag. */
  tag(name: string, tag: string): Promise<string | null>
  readFile(name: string, at: { commit: string; path: string }): Promise<string | null>
  /** Path → blob id of every file below a folder. Knowing `expected` may save the listing. */
  listFiles(
    name: string,
    at: {
      branch: string
      commit: string
      folder: string
      expected?: ReadonlyMap<string, string> | undefined
    },
  ): Promise<Map<string, string>>
  /** One commit with all files, on top of the expected head only (compare-and-swap). */
  commit(name: string, request: CommitRequest): Promise<string>
  createBranch(name: string, at: { branch: string; commit: string }): Promise<void>
  /** All changes, or at least `maxChanges` of them. `git_repository_too_large` where the host does not tell all. */
  compare(name: string, range: { base: string; head: string }): Promise<FileChange[]>
  isProtected(name: string, branch: string): Promise<boolean>
  /** The open one between these branches, or a new one. */
  pullRequest(
    name: string,
    request: { from: string; into: string; title: string; body: string },
  ): Promise<PullRequest>
}
