import { invalid } from '../../domain/errors.ts'
import { blobId } from '../../domain/git/blob-id.ts'
import { foldersOf, type WorkspaceSource } from '../../domain/git/workspace-source.ts'
import type { ConfigurationFiles } from '../../domain/workspaces/configuration-files.ts'
import type { CommitAuthors } from './git-source.ts'
import type { GitHost } from './git-host.ts'
import { isStatus } from './git-refusal.ts'

export type SourcePlace = WorkspaceSource & { repo: string; path: string }
/** The newest version's files, and the commit that they came from; `current` where they are of this very place. */
export type KnownSource = { commitSha: string | null; files: ConfigurationFiles; current: boolean }
export type ReadSource = {
  commit: string
  branch: string
  files: ConfigurationFiles
} & CommitAuthors

/** A workspace's files at its branch's head, or `undefined` where that is the known commit. What is wrong is said by name. */
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
  if (known?.current && known.commitSha === commit) return undefined
  return readAt(host, { ...place, repo: name }, { branch, commit, known })
}

/** The files at one commit, which is a branch's head. */
export async function readAt(
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
    known: new Map(Object.values(known?.files ?? {}).map((text) => [blobId(text), text])),
  })
  if (Object.keys(files).length === 0)
    throw refused(
      'git_folder_not_found',
      'path',
      `there is no file in ${place.path === '' ? 'the repository' : `the folder ${place.path}`} of ${place.repo} on ${branch}`,
    )
  const from = known?.commitSha ?? null
  return {
    commit,
    branch,
    files,
    ...(await host.authors(place.repo, { from, to: commit, folders })),
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
