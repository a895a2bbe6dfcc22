import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

const maxCharacters = 64 * 1024
/** Of a file that one side does not have: nothing is compared, so 256 KiB take 5 to 13 ms. */
const maxCharactersAlone = 256 * 1024
const maxEditedLines = 1_000
/** Others wait meanwhile. */
const timeoutMs = 20

/** See `unifiedDiff`. */
export type CompareSides = (
  path: string,
  ours: string | null,
  theirs: string | null,
) => string | null

/** Compares as `unifiedDiff` does, and gives all of the comparisons together so much time: those beyond it are null. */
export function diffsWithin(totalMs: number): CompareSides {
  let leftMs = totalMs
  return (path, ours, theirs) => {
    const since = performance.now()
    const diff = diffOf({ path, ours, theirs }, Math.min(leftMs, timeoutMs))
    leftMs -= performance.now() - since
    return diff
  }
}

/**
 * Both sides of a file as `diff -u` shows them: `-` is the configuration's, `+` the repository's; null
 * is a side without the file. Returns null if the sides are too large or too different to compare by
 * lines.
 */
export function unifiedDiff(
  path: string,
  ours: string | null,
  theirs: string | null,
): string | null {
  return diffOf({ path, ours, theirs }, timeoutMs)
}

type Sides = { path: string; ours: string | null; theirs: string | null }

function diffOf({ path, ours, theirs }: Sides, withinMs: number): string | null {
  // Nothing is searched for, so the time does not matter: a new text is shown whole whatever came before it.
  if (ours === null) return alone('+', path, theirs ?? '')
  if (theirs === null) return alone('-', path, ours)
  if (withinMs <= 0) return null
  if (ours.length > maxCharacters || theirs.length > maxCharacters) return null
  const patch = createTwoFilesPatch(
    `a/${path}`,
    `b/${path}`,
    ours,
    theirs,
    undefined,
    undefined,
    // The search is quadratic in the difference, so it is bounded against files made to be slow.
    {
      context: 3,
      maxEditLength: maxEditedLines,
      timeout: withinMs,
      headerOptions: FILE_HEADERS_ONLY,
    },
  )
  return patch ?? null
}

/** A file of one side, as the patch has it. */
function alone(sign: '+' | '-', path: string, text: string): string | null {
  if (text.length > maxCharactersAlone) return null
  const names = sign === '+' ? `--- /dev/null\n+++ b/${path}\n` : `--- a/${path}\n+++ /dev/null\n`
  if (text === '') return names
  const isEnded = text.endsWith('\n')
  const lines = isEnded ? text.slice(0, -1) : text
  const count = lines.split('\n').length
  const range = sign === '+' ? `-0,0 +1,${count}` : `-1,${count} +0,0`
  const end = isEnded ? '' : '\\ No newline at end of file\n'
  return `${names}@@ ${range} @@\n${sign}${lines.replaceAll('\n', `\n${sign}`)}\n${end}`
}
