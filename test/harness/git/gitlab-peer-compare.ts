import type * as published from './gitlab-published-types.ts'
import type { PeerProject, PeerProjects } from './peer-projects.ts'
import type { PeerAnswer } from './peer-server.ts'

// GitLab's limits of a comparison (docs: "Diff limits administration").
const maxFiles = 1_000
const maxLines = 50_000

/**
 * A comparison of the GitLab peer. As Gitaly does, it ends before the first file that is over a limit, and leaves out
 * all that follow: `compare_timeout` alone tells.
 */
export async function compare(
  { repositories }: PeerProjects,
  { name }: PeerProject,
  query: URLSearchParams,
): Promise<PeerAnswer> {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  const isStraight = query.get('straight') === 'true'
  const base = isStraight ? from : (await repositories.git(name, 'merge-base', from, to)).trim()
  const changes = await repositories.changes(name, base, to)
  const lines = await linesOf(repositories, { name, base, to })
  let sum = 0
  const end = changes.findIndex(({ path }, index) => {
    sum += lines.get(path) ?? 0
    return sum > maxLines || index >= maxFiles
  })
  const diffs = changes
    .slice(0, end < 0 ? undefined : end)
    .map(({ path, status }): published.Diff => ({
      old_path: path,
      new_path: path,
      new_file: status === 'A',
      deleted_file: status === 'D',
      renamed_file: false,
    }))
  const told: published.Compared = { diffs, compare_timeout: end >= 0 }
  return { status: 200, json: told }
}

/** Lines that were added or removed, by path. */
async function linesOf(
  repositories: PeerProjects['repositories'],
  { name, base, to }: { name: string; base: string; to: string },
): Promise<Map<string, number>> {
  const text = await repositories.git(name, 'diff', '--numstat', '--no-renames', '-z', base, to)
  const rows = text.split('\0').filter(Boolean)
  return new Map(
    rows.map((row) => {
      const [added = '', removed = '', path = ''] = row.split('\t')
      // Of a binary file both are `-`.
      return [path, (Number(added) || 0) + (Number(removed) || 0)]
    }),
  )
}
