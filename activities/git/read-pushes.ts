import { pushesBetween } from '../../domain/git/pushes-between.ts'
import type { CommitsOfAuthors } from '../../app/git/authors-of-commits.ts'
import { maxChanges, type GitHost } from '../../gateways/git/git-host.ts'
import { isStatus } from '../../gateways/git/git-refusal.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'

/** What is asked of a host about one delivery, each question once. */
export type PushReader = {
  head(repo: string, branch: string): Promise<string | null>
  /** The commit that a tag names by now. */
  tag(repo: string, tag: string): Promise<string | null>
  defaultBranch(repo: string): Promise<string | null>
  /** Its name by now, also where it was renamed. */
  fullName(repo: string): Promise<string>
  /** Undefined if the host does not tell all of them, or cannot compare these commits. */
  changedPaths(
    repo: string,
    range: { base: string; head: string },
  ): Promise<readonly string[] | undefined>
  /** The commits after `from`, and who pushed them. */
  commits(
    repo: string,
    range: { branch: string; from: string | null; to: string },
  ): Promise<CommitsOfAuthors>
}

export function pushReader(host: GitHost): PushReader {
  const asked = new Map<string, Promise<unknown>>()
  const once = async <T>(question: readonly unknown[], ask: () => Promise<T>): Promise<T> => {
    const key = JSON.stringify(question)
    const known = asked.get(key) ?? ask()
    asked.set(key, known)
    // Of the same question, so of the same type.
    return known as Promise<T>
  }
  const repository = async (repo: string) =>
    once(['repository', repo.toLowerCase()], async () => host.repository(repo))
  return {
    head: async (repo, branch) => once(['head', repo, branch], async () => host.head(repo, branch)),

    tag: async (repo, tag) =>
      once(['tag', repo.toLowerCase(), tag], async () => host.tag(repo, tag)),

    defaultBranch: async (repo) => (await repository(repo)).defaultBranch,

    fullName: async (repo) => (await repository(repo)).fullName,

    changedPaths: async (repo, range) =>
      once(['paths', repo, range.base, range.head], async () => {
        try {
          const changes = await host.compare(repo, range)
          return changes.length >= maxChanges ? undefined : changes.map(({ path }) => path)
        } catch (error) {
          // The older commit is gone, because the branch was written anew, or the host compares no more.
          if (isStatus(error, 400, 404, 409, 422)) return undefined
          // GitHub lists no repository with very many files, and GitLab compares no more than its limit.
          if (hasCode(error, 'git_repository_too_large')) return undefined
          throw error
        }
      }),

    commits: async (repo, { branch, from, to }) =>
      once(['commits', repo, branch, from, to], async () => {
        const told = await host.pushes(repo, branch)
        return {
          ...(await host.authors(repo, { from, to, folders: [''] })),
          pushes: told && pushesBetween(told, { from, to }),
        }
      }),
  }
}
