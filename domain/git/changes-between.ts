export type FileChange = { path: string; change: 'added' | 'modified' | 'removed' }

const pathsOfPart = 5_000

/**
 * What differs between two listings of path → blob id. It yields after each 5,000 paths: a repository has 100,000
 * files, and its owner chooses them.
 */
export function* changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Generator<void, FileChange[]> {
  const changes: FileChange[] = []
  let looked = 0
  for (const [path, is] of after) {
    const was = before.get(path)
    if (was !== is) changes.push({ path, change: was === undefined ? 'added' : 'modified' })
    looked += 1
    if (looked % pathsOfPart === 0) yield
  }
  for (const path of before.keys()) {
    if (!after.has(path)) changes.push({ path, change: 'removed' })
    looked += 1
    if (looked % pathsOfPart === 0) yield
  }
  return changes
}
