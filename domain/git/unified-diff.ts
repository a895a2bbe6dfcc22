import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

const maxCharacters = 64 * 1024
const maxEditedLines = 1_000
/** Others wait meanwhile. */
const timeoutMs = 20

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
  if ((ours?.length ?? 0) > maxCharacters || (theirs?.length ?? 0) > maxCharacters) return null
  const patch = createTwoFilesPatch(
    ours === null ? '/dev/null' : `a/${path}`,
    theirs === null ? '/dev/null' : `b/${path}`,
    ours ?? '',
    theirs ?? '',
    undefined,
    undefined,
    // The search is quadratic in the difference, so it is bounded against files made to be slow.
    {
      context: 3,
      maxEditLength: maxEditedLines,
      timeout: timeoutMs,
      headerOptions: FILE_HEADERS_ONLY,
    },
  )
  return patch ?? null
}
