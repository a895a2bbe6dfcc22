import type { Hunk } from '../runs/line-diff.ts'

const heads = { '+': 'added', '-': 'removed', ' ': 'same' } as const

/** The hunks of one file as `diff -u` prints them. */
export function unifiedHunks(diff: string): Hunk[] {
  const hunks: Hunk[] = []
  for (const line of diff.split('\n')) {
    const [, from] = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? []
    const kind = heads[line[0] as keyof typeof heads]
    if (from !== undefined) hunks.push({ line: Number(from), lines: [] })
    // Before the first hunk are the names of the file, which begin as lines do.
    else if (kind) hunks.at(-1)?.lines.push({ kind, text: line.slice(1) })
  }
  return hunks
}
