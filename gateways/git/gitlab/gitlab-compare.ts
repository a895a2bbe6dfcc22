import type { CommitDiffSchema } from '@gitbeaker/rest'
import { conflict } from '../../../domain/errors.ts'
import type { GitlabApi } from './gitlab-api.ts'

/** GitLab's limit of files, unless its administrator raised it (docs: "Diff limits administration"). */
const maxFiles = 1_000

type Compared = { from: string; to: string; straight: boolean }

/**
 * The files that differ. Past its limit of files or of lines GitLab ends the list before the first file that does not
 * fit, and says so by `compare_timeout` alone. Throws `git_repository_too_large` then: a file of 50,000 lines whose
 * name comes first would otherwise hide what else a push changes, and the pusher could approve it.
 */
export async function gitlabCompare(
  api: GitlabApi,
  name: string,
  { from, to, straight }: Compared,
): Promise<CommitDiffSchema[]> {
  const told = await api.Repositories.compare(name, from, to, { straight })
  const { diffs = [], compare_timeout: isCut } = told
  if (isCut || diffs.length >= maxFiles)
    throw conflict(
      'git_repository_too_large',
      'The commits differ in more files or lines than GitLab compares.',
    )
  return diffs
}
