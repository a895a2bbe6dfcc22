export type FileChange = { path: string; change: 'added' | 'modified' | 'removed' }

/** What differs between two listings of path → blob id, by path. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return paths.flatMap((path): FileChange[] => {
    const [was, is] = [before.get(path), after.get(path)]
    if (was === is) return []
    return [
      { path, change: was === undefined ? 'added' : is === undefined ? 'removed' : 'modified' },
    ]
  })
}
