import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

const maxCharacters = 256 * 1024
const maxEditedLines = 2_000
const timeoutMs = 200

/**
 * A file's two sides as `diff -u` and `git diff` show them: `-` is the configuration's, `+` the
 * repository's; null is a side without the file. Null where the sides are too large or too far
 * apart to be told line by line: both are there in full beside it.
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
    // The search takes the square of what differs: a file that somebody made for that stops here.
    {
      context: 3,
      maxEditLength: maxEditedLines,
      timeout: timeoutMs,
      headerOptions: FILE_HEADERS_ONLY,
    },
  )
  return patch ?? null
}
