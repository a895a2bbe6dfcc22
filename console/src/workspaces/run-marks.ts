import type { RunDetail } from '../api/types.ts'
import type { Mark } from '../editor/code-types.ts'
import { plainText } from '../parts/plain-text.ts'
import type { FileTexts } from './merge-files.ts'

type Diagnostic = Pick<
  RunDetail['diagnostics'][number],
  'severity' | 'summary' | 'detail' | 'file' | 'line'
>

/**
 * What a run said about the files, by file. `used` are the files of the run. A line that is another one now has
 * no mark: its error may be solved, or be somewhere else.
 */
export function runMarks(
  diagnostics: readonly Diagnostic[],
  used: FileTexts,
  now: FileTexts,
): Map<string, Mark[]> {
  const marks = new Map<string, Mark[]>()
  for (const { severity, summary, detail, file, line } of diagnostics) {
    if (file === null || line === null) continue
    const text = lineOf(now, file, line)
    if (text === undefined || text !== lineOf(used, file, line)) continue
    const words = [summary, detail].filter(Boolean).map((one) => plainText(one ?? ''))
    marks.set(file, [...(marks.get(file) ?? []), { line, severity, text: words.join('\n') }])
  }
  return marks
}

const lineOf = (files: FileTexts, file: string, line: number): string | undefined =>
  Object.hasOwn(files, file) ? files[file]?.split(/\r?\n/)[line - 1] : undefined
