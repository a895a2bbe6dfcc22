import { invalid } from '../../domain/errors.ts'
import { pushesBetween } from '../../domain/git/pushes-between.ts'
import { foldersOf, isWithin, type WorkspaceSource } from '../../domain/git/workspace-source.ts'
import type { SourceFiles } from '../../domain/workspaces/assemble-files.ts'
import type { CommitAuthors, CommitRange, GitPush } from './git-source.ts'
import { maxChanges, type GitHost } from './git-host.ts'
import { isStatus } from './git-refusal.ts'

export type SourcePlace = WorkspaceSource & { repo: string; path: string }
/**
 * What is known of the newest version's files, and the commit that they came from; `current` where they are of this
 * very place.
 */
export type KnownSource = {
  commitSha: string | null
  names: readonly string[]
  /** The blob id of each of them; null where they were not noted, and then all is read, whatever the commit. */
  blobs: readonly string[] | null
  current: boolean
}
export type ReadSource = {
  commit: string
  branch: string
  /** Contents of those blobs alone that are not known. */
  files: SourceFiles
  /** The pushes that touched the folders, all of them if none did; null if the host does not report them without a gap. */
  pushes: readonly GitPush[] | null
} & CommitAuthors

/**
 * A workspace's files at its branch's head, or `undefined` where that is the known commit and its files are not wanted
 * again. What is wrong is said by name.
 */
export async function readSource(
  host: GitHost,
  place: SourcePlace,
  known: KnownSource | undefined,
): Promise<ReadSource | undefined> {
  const { name, branch } = await branchOf(host, place)
  const commit = await host.head(name, branch)
  if (!commit)
    throw refused(
      'git_branch_not_found',
      'source.branch',
      `there is no branch ${branch} in ${name}`,
    )
  if (known?.current && known.blobs && known.commitSha === commit) return undefined
  return readAt(host, { ...place, repo: name }, { branch, commit, known })
}

/** The files at one commit, which is a branch's head. */
async function readAt(
  host: GitHost,
  place: SourcePlace,
  at: { branch: string; commit: string; known: KnownSource | undefined },
): Promise<ReadSource> {
  const { branch, commit, known } = at
  const folders = foldersOf(place, place.path)
  const files = await host.readFiles(place.repo, {
    branch,
    commit,
    folders,
    known: new Set(known?.blobs),
  })
  if (files.listed.size === 0)
    throw refused(
      'git_folder_not_found',
      'path',
      `there is no file in ${place.path === '' ? 'the repository' : `the folder ${place.path}`} of ${place.repo} on ${branch}`,
    )
  const from = await knownCommit(host, place.repo, { commit, files, known })
  const range = { from, to: commit, folders }
  return {
    commit,
    branch,
    files,
    pushes: await pushesOf(host, place.repo, { branch, ...range }),
    ...(await host.authors(place.repo, range)),
  }
}

type Compared = {
  commit: string
  files: SourceFiles
  known: KnownSource | undefined
}

/**
 * The commit after which authors count; null for all of them. After the place was changed, a file that is new here
 * may have been in the repository before, and then nobody was asked about its authors.
 */
async function knownCommit(
  host: GitHost,
  repo: string,
  { commit: head, files, known }: Compared,
): Promise<string | null> {
  const base = known?.commitSha ?? null
  if (base === null || known?.current) return base
  const names = new Set(known?.names)
  const found = [...files.listed.keys()].filter((path) => !names.has(path))
  if (found.length === 0) return base
  try {
    const changes = await host.compare(repo, { base, head })
    const added = new Set(changes.flatMap(({ path, change }) => (change === 'added' ? path : [])))
    return found.every((path) => added.has(path)) ? base : null
  } catch {
    // Gone after the branch was written anew, or more than a host compares.
    return null
  }
}

/** How many pushes are compared; with more, all of them count. */
const maxCompared = 20

async function pushesOf(
  host: GitHost,
  repo: string,
  { branch, from, to, folders }: CommitRange & { branch: string },
): Promise<GitPush[] | null> {
  const told = await host.pushes(repo, branch)
  const between = told && pushesBetween(told, { from, to })
  if (!between || between.length > maxCompared) return between
  const touching = await Promise.all(
    between.map(async (push) => touches(host, repo, { push, folders })),
  )
  const touched = between.filter((_, index) => touching[index])
  // The branch has moved, so one of them changed the files. If the host says that none did, any of them may have.
  return touched.length > 0 ? touched : between
}

/** A push without changes counts: it moves the branch back, and may remove a fix. */
async function touches(
  host: GitHost,
  repo: string,
  { push: { before: base, after: head }, folders }: { push: GitPush; folders: readonly string[] },
): Promise<boolean> {
  if (/^0*$/.test(base)) return true
  try {
    const changes = await host.compare(repo, { base, head })
    return (
      changes.length === 0 ||
      changes.length >= maxChanges ||
      changes.some(({ path }) => folders.some((folder) => isWithin(path, folder)))
    )
  } catch {
    // Gone after the branch was written anew, or more than a host compares.
    return true
  }
}

async function branchOf(host: GitHost, { repo, branch }: SourcePlace) {
  try {
    const { fullName, defaultBranch } = await host.repository(repo)
    if (defaultBranch === null)
      throw refused('git_repository_empty', 'source.repo', `${fullName} is empty`)
    return { name: fullName, branch: branch ?? defaultBranch }
  } catch (error) {
    if (!isStatus(error, 404)) throw error
    throw refused(
      'git_repository_not_found',
      'source.repo',
      `${repo} is not there, or the connection's token may not see it`,
    )
  }
}

const refused = (code: string, path: string, message: string) =>
  invalid(`The workspace's files cannot be read: ${message}.`, [{ path, message }], code)
