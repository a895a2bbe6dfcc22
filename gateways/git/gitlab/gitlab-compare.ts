import { conflict } from '../../../domain/errors.ts'
import { pickAnswer } from '../pick-answer.ts'

/** GitLab's limit of files, unless its administrator raised it (docs: "Diff limits administration"). */
const maxFiles = 1_000

export type GitlabDiff = {
  old_path: string
  new_path: string
  new_file?: boolean
  deleted_file?: boolean
}

export type GitlabCompare = (
  name: string,
  compared: { from: string; to: string; straight: boolean },
) => Promise<GitlabDiff[]>

/** The answer has all commits and the lines that differ too, megabytes of them, which are passed over. */
const wanted = {
  compare_timeout: true,
  diffs: [{ old_path: true, new_path: true, new_file: true, deleted_file: true }],
} as const
const limits = { provider: 'GitLab', maxItems: maxFiles, maxFields: 50_000 }

/**
 * The files that differ. Past its limit of files or of lines GitLab ends the list before the first file that does not
 * fit, and says so by `compare_timeout` alone. Throws `git_repository_too_large` then: a file of 50,000 lines whose
 * name comes first would otherwise hide what else a push changes, and the pusher could approve it. Nor may a path that
 * is longer than is read hide its file. `unread` is a fetch whose answers nobody parsed.
 */
export function gitlabCompare(
  unread: typeof globalThis.fetch,
  { origin, token }: { origin: string; token: string },
): GitlabCompare {
  return async (name, { from, to, straight }) => {
    const url = new URL(`${origin}/api/v4/projects/${encodeURIComponent(name)}/repository/compare`)
    for (const [key, value] of Object.entries({ from, to, straight: String(straight) }))
      url.searchParams.set(key, value)
    const answer = await unread(url, { headers: { 'private-token': token } })
    // A list is a list, and its items are objects, with any of the fields.
    const { diffs = [], compare_timeout: isCut } = ((await pickAnswer(answer, wanted, limits)) ??
      {}) as { diffs?: Array<Partial<GitlabDiff>>; compare_timeout?: boolean }
    const whole = diffs.filter(isWhole)
    if (isCut || diffs.length >= maxFiles || whole.length < diffs.length)
      throw conflict(
        'git_repository_too_large',
        'The commits differ in more files or lines than GitLab compares.',
      )
    return whole
  }
}

const isWhole = (diff: Partial<GitlabDiff>): diff is GitlabDiff =>
  typeof diff.old_path === 'string' && typeof diff.new_path === 'string'
