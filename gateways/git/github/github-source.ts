import type { Octokit } from '@octokit/rest'
import type { GithubContents } from './github-contents.ts'
import { place } from './github-repository.ts'
import type { GithubFiles } from './github-trees.ts'
import {
  authorsPerPage,
  maxAuthorPages,
  maxPushes,
  type Attribution,
  type ListedCommit,
  type CommitAuthors,
  type CommitRange,
  type GitSource,
} from '../git-source.ts'
import { isStatus } from '../git-refusal.ts'
import { readBlobs } from '../read-blobs.ts'
import { commitWords } from '../read-commit.ts'

export function githubSource(
  octokit: Octokit,
  { filesOf, contents }: { filesOf: GithubFiles; contents: GithubContents },
): GitSource {
  return {
    readFiles: async (name, { branch, commit, folders, known }) => {
      const { git } = octokit.rest
      const { data } = await git.getCommit({ ...place(name), commit_sha: commit })
      const listed = new Map<string, string>()
      for (const folder of folders)
        for (const [path, blob] of await filesOf(name, { tree: data.tree.sha, folder }))
          listed.set(path, blob)
      return readBlobs(listed, known, {
        async one(_path, blob) {
          try {
            const { data: found } = await git.getBlob({ ...place(name), file_sha: blob })
            return Buffer.from(found.content, 'base64')
          } catch (error) {
            if (isStatus(error, 404, 422)) return null
            throw error
          }
        },
        many: async (missing) => contents(name, { branch, commit }, missing),
      })
    },

    authors: async (name, range) => {
      const within = range.from === null ? undefined : await commitsBetween(octokit, name, range)
      const found = new Map<string, ListedCommit>()
      const account = addressesOf(octokit)
      let complete = within?.complete ?? true
      for (const path of range.folders)
        complete =
          (await collect(octokit, name, {
            path,
            to: range.to,
            within,
            found,
            account,
          })) && complete
      return { commits: [...found.values()], complete }
    },

    pushes: async (name, branch) => {
      try {
        const { data } = await octokit.rest.repos.listActivities({
          ...place(name),
          ref: `refs/heads/${branch}`,
          per_page: maxPushes,
        })
        const account = addressesOf(octokit)
        return await Promise.all(
          data.slice(0, maxPushes).map(async ({ before, after, actor }) => ({
            before,
            after,
            claimed: [],
            proved: actor ? await account(actor.login) : [],
          })),
        )
      } catch (error) {
        // An Enterprise Server of before 3.9 does not have it.
        if (isStatus(error, 403, 404)) return null
        throw error
      }
    },
  }
}

type Within = {
  shas: ReadonlySet<string>
  /** The oldest date of them, in milliseconds: their makers choose it. */
  oldest: number
  complete: boolean
}

/** Its list of commits filters by path but knows no range, its comparison the other way round. */
async function commitsBetween(
  octokit: Octokit,
  name: string,
  { from, to }: CommitRange,
): Promise<Within | undefined> {
  const shas = new Set<string>()
  let [oldest, total] = [Infinity, 0]
  try {
    for (let page = 1; page <= maxAuthorPages; page += 1) {
      const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
        ...place(name),
        basehead: `${from ?? ''}...${to}`,
        per_page: authorsPerPage,
        page,
      })
      for (const listed of data.commits) {
        shas.add(listed.sha)
        oldest = Math.min(oldest, dateOf(listed))
      }
      total = data.total_commits
      if (shas.size >= total || data.commits.length === 0) break
    }
    return { shas, oldest, complete: shas.size >= total }
  } catch (error) {
    // The older commit is gone: the branch's history was written anew.
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

async function collect(
  octokit: Octokit,
  name: string,
  at: {
    path: string
    to: string
    within: Within | undefined
    found: Map<string, ListedCommit>
    account: Account
  },
): Promise<CommitAuthors['complete']> {
  const { path, to, within, found, account } = at
  for (let page = 1; page <= maxAuthorPages; page += 1) {
    const { data } = await octokit.rest.repos.listCommits({
      ...place(name),
      sha: to,
      ...(path !== '' && { path }),
      per_page: authorsPerPage,
      page,
    })
    const listed = data.slice(0, authorsPerPage)
    const wanted = listed.filter(({ sha }) => !within || within.shas.has(sha))
    for (const commit of wanted)
      found.set(commit.sha, {
        ...(await attributionOf(commit, account)),
        words: commitWords(commit.sha, commit.commit.author?.name, commit.commit.message),
      })
    if (data.length < authorsPerPage) return true
    // The list is by date. A commit of the range may claim an old one, so that it comes behind many others.
    if (within && listed.some((commit) => dateOf(commit) < within.oldest)) return true
  }
  return false
}

/** Of a commit without a date, one that ends no list. */
const dateOf = ({ commit }: { commit: { committer?: { date?: string } | null } }): number => {
  const date = Date.parse(commit.committer?.date ?? '')
  return Number.isNaN(date) ? Infinity : date
}

type Account = (login: string) => Promise<string[]>

/** The address that an account shows: GitHub lets it be a verified one alone. Each is asked for once. */
function addressesOf(octokit: Octokit): Account {
  const asked = new Map<string, Promise<string[]>>()
  const ask: Account = async (username) => {
    try {
      const { data } = await octokit.rest.users.getByUsername({ username })
      return data.email ? [data.email] : []
    } catch (error) {
      // A bot, or an account that is gone.
      if (isStatus(error, 404)) return []
      throw error
    }
  }
  return async (login) => {
    const known = asked.get(login) ?? ask(login)
    asked.set(login, known)
    return known
  }
}

type GithubCommit = Awaited<ReturnType<Octokit['rest']['repos']['listCommits']>>['data'][number]

/** Its own account, which signs what is committed on its pages. */
const webFlow = 'web-flow'

/**
 * A login beside a commit says only that an account has that address, verified or not. What counts
 * is a signature that GitHub has verified: it then has checked that the committer's address is a
 * verified one of the account whose key it is. What GitHub signs itself is its author's.
 */
async function attributionOf(
  { commit, author, committer }: GithubCommit,
  account: Account,
): Promise<Attribution> {
  const claimed = [commit.author?.email, commit.committer?.email].flatMap((email) => email ?? [])
  if (!commit.verification?.verified) return { claimed, proved: [] }
  const byGithub = committer !== null && 'login' in committer && committer.login === webFlow
  const [signer, address] = byGithub
    ? [author, commit.author?.email]
    : [committer, commit.committer?.email]
  const shown = signer !== null && 'login' in signer ? await account(signer.login ?? '') : []
  return { claimed, proved: [...(address ? [address] : []), ...shown] }
}
