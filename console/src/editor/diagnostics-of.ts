import type { Diagnostic } from '@codemirror/lint'
import type { EditorState, Line } from '@codemirror/state'
import type { Mark } from './code-types.ts'

/** The line of a number, or the nearest one of a text that became shorter. */
export const lineAt = ({ doc }: EditorState, line: number): Line =>
  doc.line(Math.min(Math.max(1, line), doc.lines))

/** The marks as CodeMirror has them, over the text of their lines. A mark of a line that is gone is left out. */
export const diagnosticsOf = (state: EditorState, marks: readonly Mark[]): Diagnostic[] =>
  marks
    .filter(({ line }) => line >= 1 && line <= state.doc.lines)
    .map(({ line, severity, text }) => {
      const { from, to, text: words } = state.doc.line(line)
      return { from: from + words.length - words.trimStart().length, to, severity, message: text }
    })
    .toSorted((a, b) => a.from - b.from)
