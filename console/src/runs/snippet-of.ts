/** A line of a file with the two lines before and after it. Empty where the file has no such line. */
export function snippetOf(text: string, line: number): SnippetLine[] {
  const lines = text.split(/\r?\n/)
  if (line < 1 || line > lines.length) return []
  const first = Math.max(1, line - around)
  return lines
    .slice(first - 1, line + around)
    .map((content, at) => ({ line: first + at, text: content.slice(0, maxLength) }))
}

export type SnippetLine = { line: number; text: string }

const around = 2
/** A generated file can be one line of megabytes. */
const maxLength = 500
