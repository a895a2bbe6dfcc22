import { gitlabList, type GitlabApi } from './gitlab-api.ts'
import type { GitlabTree } from './gitlab-tree.ts'
import {
  authorsPerPage,
  maxAuthorPages,
  maxPushes,
  type ListedCommit,
  type GitSource,
} from '../git-source.ts'
import { isStatus, refusalOf } from '../git-refusal.ts'
import { readBlobs } from '../read-blobs.ts'
import { commitWords } from '../read-commit.ts'

/** A first read of so many files fetches them one by one: git would fetch the whole repository. */
const maxFew = 5

export function gitlabSource(
  api: GitlabApi,
  { tree, snapshot }: { tree: GitlabTree; snapshot: GitSource['readFiles'] },
): GitSource {
  return {
    readFiles: async (name, request) => {
      const { commit, folders, known } = request
      const isFirst = known.size === 0
      const few = isFirst ? await fewFiles(tree, name, { commit, folders }) : undefined
      const whole = isFirst && !few ? await unlessRefused(snapshot(name, request)) : undefined
      if (whole) return whole
      const listed = few ?? new Map<string, string>()
      if (!few)
        for (const folder of folders)
          for (const [path, blob] of await tree.all(name, { commit, folder }))
            listed.set(path, blob)
      return readBlobs(listed, known, {
        async one(path) {
          try {
            const file = await api.RepositoryFiles.show(name, path, commit)
            return Buffer.from(file.content, 'base64')
          } catch (error) {
            if (isStatus(error, 404)) return null
            throw error
          }
        },
      })
    },

    authors: async (name, { from, to, folders }) => {
      const found = new Map<string, ListedCommit>()
      let complete = true
      for (const path of folders) {
        const commits = await commitsOf(api, name, { from, to, path })
        complete &&= commits.length < authorsPerPage * maxAuthorPages
        for (const { id, author_email: author, committer_email: committer, ...said } of commits)
          if (!found.has(id))
            found.set(id, {
              claimed: [author, committer],
              // Once one is unknown, so is the whole: the others need not be asked for.
              proved: [...found.values()].every(({ proved }) => proved.length > 0)
                ? await signerOf(api, name, { id, committer })
                : [],
              words: commitWords(id, said.author_name, said.message),
            })
      }
      return { commits: [...found.values()], complete }
    },

    pushes: async (name, branch) => {
      // As documented ("Events API"); the library leaves some of it open.
      const events = (await api.Events.all({
        projectId: name,
        action: 'pushed',
        perPage: maxPushes,
      })) as unknown as PushEvent[]
      const found = events
        .slice(0, maxPushes)
        .filter(({ push_data: push }) => push?.ref_type === 'branch' && push.ref === branch)
      const addresses = new Map<number, Promise<string[]>>()
      return Promise.all(
        found.map(async ({ author_id: id, push_data: push }) => {
          const known = addresses.get(id) ?? addressesOf(api, id)
          addresses.set(id, known)
          return {
            before: push?.commit_from ?? '',
            after: push?.commit_to ?? '',
            claimed: [],
            proved: await known,
          }
        }),
      )
    },
  }
}

/** Few enough to be read one by one; undefined for more. */
async function fewFiles(
  tree: GitlabTree,
  name: string,
  { commit, folders }: { commit: string; folders: readonly string[] },
): Promise<Map<string, string> | undefined> {
  const found = new Map<string, string>()
  for (const folder of folders) {
    const files = await tree.small(name, { commit, folder })
    for (const [path, blob] of files ?? []) found.set(path, blob)
    if (!files || found.size > maxFew) return undefined
  }
  return found
}

/**
 * A first read of more files is made by git, in two calls for any number of them. If git is turned
 * off, or the whole repository is too large, the API reads the folder file by file.
 */
async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal?.fault === 'invalid' || refusal?.code === 'git_rate_limited') throw error
    return undefined
  }
}

type Commit = {
  id: string
  author_email: string
  committer_email: string
  author_name?: string
  message?: string
}

async function commitsOf(
  api: GitlabApi,
  name: string,
  { from, to, path }: { from: string | null; to: string; path: string },
): Promise<Commit[]> {
  const listed = async (refName: string) => {
    const found: Commit[] = []
    const commits = gitlabList(maxAuthorPages, async (at) =>
      api.Commits.all(name, { ...at, ...(path && { path }), refName }),
    )
    // As documented ("Commits API"); the library leaves some of it open.
    for await (const commit of commits) found.push(commit as Record<string, unknown> & Commit)
    return found
  }
  if (from !== null)
    try {
      return await listed(`${from}..${to}`)
    } catch (error) {
      // The older commit is gone: the branch's history was written anew.
      if (!isStatus(error, 400, 404)) throw error
    }
  return listed(to)
}

type PushEvent = {
  author_id: number
  push_data?: {
    ref: string | null
    ref_type: string
    commit_from: string | null
    commit_to: string | null
  }
}

/**
 * `verified` says that the key is an account's and the committer's address a verified one of that
 * account. What GitLab signs itself (`verified_system`) may name any author: its API lets the
 * caller choose one.
 */
async function signerOf(
  api: GitlabApi,
  name: string,
  { id, committer }: { id: string; committer: string },
): Promise<string[]> {
  try {
    const signature = await api.Commits.showGPGSignature(name, id)
    // Of keys of every kind, though the library names GPG's alone.
    const { verification_status: status } = signature as unknown as { verification_status: string }
    return status === 'verified' ? [committer] : []
  } catch (error) {
    if (isStatus(error, 404)) return []
    throw error
  }
}

/** GitLab lets an account show a verified address alone. */
async function addressesOf(api: GitlabApi, id: number): Promise<string[]> {
  try {
    const user = (await api.Users.show(id)) as unknown as { public_email?: string | null }
    return user.public_email ? [user.public_email] : []
  } catch (error) {
    if (isStatus(error, 403, 404)) return []
    throw error
  }
}
