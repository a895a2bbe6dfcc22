import { diffLines } from '../runs/line-diff.ts'

/** Lines on which both agree or that only one of them changed, or lines that both changed differently. */
export type MergeChunk =
  | { kind: 'agreed'; lines: string[] }
  | { kind: 'conflict'; base: string[]; mine: string[]; theirs: string[] }
export type Keep = 'mine' | 'theirs' | 'both'

/**
 * A three-way merge by lines. Changes that touch each other are a conflict, also where they do not overlap:
 * two neighbouring lines often mean one thing together.
 */
export function mergeLines(base: string, mine: string, theirs: string): MergeChunk[] {
  const [from, my, their] = [base.split('\n'), mine.split('\n'), theirs.split('\n')]
  const [myEdits, theirEdits] = [editsOf(from, my), editsOf(from, their)]
  if (!myEdits || !theirEdits) return [{ kind: 'conflict', base: from, mine: my, theirs: their }]
  const chunks: MergeChunk[] = []
  let at = 0
  for (const group of groupsOf(myEdits, theirEdits)) {
    agree(chunks, from.slice(at, group.from))
    at = group.to
    const sides = {
      base: from.slice(group.from, group.to),
      mine: applied(from, group, group.mine),
      theirs: applied(from, group, group.theirs),
    }
    if (group.theirs.length === 0 || isSame(sides.mine, sides.theirs)) agree(chunks, sides.mine)
    else if (group.mine.length === 0) agree(chunks, sides.theirs)
    else chunks.push({ kind: 'conflict', ...sides })
  }
  agree(chunks, from.slice(at))
  return chunks
}

/** The merged text; `keep` says which side of a conflict stays. */
export function mergedText(
  chunks: readonly MergeChunk[],
  keep: (conflict: MergeChunk & { kind: 'conflict' }) => Keep,
): string {
  const lines = chunks.flatMap((chunk) => {
    if (chunk.kind === 'agreed') return chunk.lines
    const kept = keep(chunk)
    return kept === 'both' ? [...chunk.mine, ...chunk.theirs] : chunk[kept]
  })
  return lines.join('\n')
}

/** The lines `from` to `to` (exclusive) of the base become `lines`. */
type Edit = { from: number; to: number; lines: string[] }
type Group = { from: number; to: number; mine: Edit[]; theirs: Edit[] }

function editsOf(base: readonly string[], text: readonly string[]): Edit[] | undefined {
  const diff = diffLines(base, text)
  if (!diff) return undefined
  const edits: Edit[] = []
  let at = 0
  let edit: Edit | undefined
  for (const { kind, text: line } of diff) {
    if (kind === 'same') edit = undefined
    else {
      if (!edit) edits.push((edit = { from: at, to: at, lines: [] }))
      if (kind === 'added') edit.lines.push(line)
      else edit.to = at + 1
    }
    if (kind !== 'added') at += 1
  }
  return edits
}

function groupsOf(mine: readonly Edit[], theirs: readonly Edit[]): Group[] {
  const all = [
    ...mine.map((edit) => ({ edit, side: 'mine' as const })),
    ...theirs.map((edit) => ({ edit, side: 'theirs' as const })),
  ].toSorted((a, b) => a.edit.from - b.edit.from || a.edit.to - b.edit.to)
  const groups: Group[] = []
  for (const { edit, side } of all) {
    let group = groups.at(-1)
    if (!group || edit.from > group.to)
      groups.push((group = { from: edit.from, to: edit.to, mine: [], theirs: [] }))
    group.to = Math.max(group.to, edit.to)
    group[side].push(edit)
  }
  return groups
}

/** The lines of a group after the edits of one side. */
function applied(base: readonly string[], { from, to }: Group, edits: readonly Edit[]): string[] {
  const lines: string[] = []
  let at = from
  for (const edit of edits) {
    lines.push(...base.slice(at, edit.from), ...edit.lines)
    at = edit.to
  }
  return [...lines, ...base.slice(at, to)]
}

function agree(chunks: MergeChunk[], lines: readonly string[]): void {
  const last = chunks.at(-1)
  if (last?.kind === 'agreed') last.lines.push(...lines)
  else if (lines.length > 0) chunks.push({ kind: 'agreed', lines: [...lines] })
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, at) => line === b[at])
