import { mergedText, mergeLines, type Keep, type MergeChunk } from './merge-lines.ts'

export type FileTexts = Readonly<Record<string, string>>

/** A file that changed since the version that both people began with. */
export type FileMerge = { name: string } & (
  | { kind: 'mine' | 'theirs'; was: string | undefined; is: string | undefined }
  | { kind: 'both'; chunks: MergeChunk[] }
  /** One removed it, the other one changed it. */
  | { kind: 'removed'; by: 'mine' | 'theirs'; was: string; text: string }
)

/** What was decided about a conflict, by `keyOf`. */
export type Decisions = Readonly<Record<string, Keep | undefined>>

/** What each side changed. Files that both changed in the same way are not listed. */
export function mergeFiles(base: FileTexts, mine: FileTexts, theirs: FileTexts): FileMerge[] {
  const names = new Set([base, mine, theirs].flatMap((files) => Object.keys(files)))
  return [...names].toSorted().flatMap((name): FileMerge[] => {
    const [was, my, their] = [base, mine, theirs].map((files) => textIn(files, name))
    if (my === their) return []
    if (was === my) return [{ name, kind: 'theirs', was, is: their }]
    if (was === their) return [{ name, kind: 'mine', was, is: my }]
    if (my === undefined || their === undefined) {
      const by = my === undefined ? 'mine' : 'theirs'
      return [{ name, kind: 'removed', by, was: was ?? '', text: my ?? their ?? '' }]
    }
    return [{ name, kind: 'both', chunks: mergeLines(was ?? '', my, their) }]
  })
}

/** A file can be named as a property that each object has, such as `constructor`. */
const textIn = (files: FileTexts, name: string): string | undefined =>
  Object.hasOwn(files, name) ? files[name] : undefined

/** Of a conflict by what is in it: the places move while one goes on typing. */
export const keyOf = (name: string, conflict: MergeChunk & { kind: 'conflict' }): string =>
  JSON.stringify([name, conflict.mine, conflict.theirs])

/** All files after the merge. Without a decision both sides of a conflict stay, so that nothing is lost. */
export function mergedFiles(
  theirs: FileTexts,
  merges: readonly FileMerge[],
  decisions: Decisions,
): FileTexts {
  const files = new Map(Object.entries(theirs))
  for (const merge of merges) {
    const text = textAfter(merge, decisions)
    if (text === undefined) files.delete(merge.name)
    else files.set(merge.name, text)
  }
  return Object.fromEntries(files)
}

function textAfter(merge: FileMerge, decisions: Decisions): string | undefined {
  switch (merge.kind) {
    case 'mine':
    case 'theirs':
      return merge.is
    case 'both':
      return mergedText(
        merge.chunks,
        (conflict) => decisions[keyOf(merge.name, conflict)] ?? 'both',
      )
    case 'removed':
      return decisions[merge.name] === merge.by ? undefined : merge.text
  }
}
