import type { SecretSearch } from '../secrets/secret-search.ts'

/** A place in a file of a configuration. */
export type Place = { file: string | null; line: number | null }
export type SnippetLine = { line: number; text: string }

/**
 * The lines around each of these places, by the place. A place in a file that is not here has none, nor has one
 * beyond `maxCharacters` of all together. Each file is looked through once. Of a file
 * with a secret of several lines nothing after its beginning is shown.
 */
export function snippetsOf<P extends Place>(
  places: readonly P[],
  files: Readonly<Record<string, string>>,
  { cover, coverBlocks }: Pick<SecretSearch, 'cover' | 'coverBlocks'>,
): Map<P, SnippetLine[]> {
  const snippets = new Map<P, SnippetLine[]>()
  let left = maxCharacters
  for (const [file, inFile] of Map.groupBy(places, (place) => place.file)) {
    if (file === null || !Object.hasOwn(files, file)) continue
    const wanted = new Set(inFile.flatMap(({ line }) => (line === null ? [] : around(line))))
    const lines = linesOf(coverBlocks(files[file] ?? ''), wanted)
    for (const place of inFile) {
      if (place.line === null || !lines.has(place.line)) continue
      const snippet = around(place.line).flatMap((line) => {
        const text = lines.get(line)
        return text === undefined ? [] : { line, text: cut(cover(text)) }
      })
      left -= snippet.reduce((sum, { text }) => sum + text.length, 0)
      if (left < 0) return snippets
      snippets.set(place, snippet)
    }
  }
  return snippets
}

export const maxCharacters = 128 * 1_024
const maxLength = 500
/** Beyond what is shown, so that a secret across its end is found. */
const maxSearched = 2 * maxLength

const around = (line: number): number[] => [-2, -1, 0, 1, 2].map((step) => line + step)

/** Never cuts within a surrogate pair. */
const cut = (text: string): string => text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')

/** A generated file can be one line of megabytes, or a million lines: no other line is copied. */
function linesOf(text: string, wanted: ReadonlySet<number>): Map<number, string> {
  const lines = new Map<number, string>()
  const last = Math.max(...wanted)
  for (let [line, start] = [1, 0]; line <= last && start <= text.length; line += 1) {
    const next = text.indexOf('\n', start)
    const end = next === -1 ? text.length : next
    if (wanted.has(line))
      lines.set(line, text.slice(start, Math.min(end, start + maxSearched)).replace(/\r$/, ''))
    start = end + 1
  }
  return lines
}
