import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Annotation, EditorState, type Extension } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import type { Complete } from './code-types.ts'
import { codeColours, codeTheme } from './code-theme.ts'
import { completions } from './completions.ts'
import { languageOf } from './language-of.ts'

export type Shown = { name: string; label: string; text: string; readOnly: boolean }
export type Listeners = { onChange: (text: string) => void; complete: Complete }

/** Marks a change that was not typed here. */
export const fromOutside = Annotation.define<boolean>()

/** The editor of one file as it begins. */
export function stateOf({ name, label, text, readOnly }: Shown, listeners: Listeners): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      lineEndingsOf(text),
      looks,
      languageOf(name),
      readOnly ? EditorState.readOnly.of(true) : writing(listeners.complete),
      EditorView.contentAttributes.of({
        'aria-label': label,
        tabindex: '0',
        ...(readOnly ? { 'aria-readonly': 'true' } : { 'aria-describedby': keysId }),
      }),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (docChanged && !transactions.some((one) => one.annotation(fromOutside)))
          listeners.onChange(state.sliceDoc())
      }),
    ],
  })
}

const looks: Extension = [
  codeTheme,
  syntaxHighlighting(codeColours),
  lineNumbers(),
  lintGutter(),
  // Also those that turn the direction of writing, by which a text can look like another one.
  highlightSpecialChars(),
  highlightSelectionMatches(),
  search({ top: true }),
  keymap.of([...searchKeymap, ...lintKeymap, ...defaultKeymap]),
]

const writing = (complete: Complete): Extension => [
  history(),
  indentUnit.of('  '),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  completions(complete),
  keymap.of([...closeBracketsKeymap, ...historyKeymap, indentWithTab]),
  escapeThenTab,
  replaceLines,
]

/**
 * After Escape, Tab moves the focus, as WCAG 2.1.2 asks. CodeMirror does so too, but not where Escape did
 * something else, such as to clear the selection.
 */
const escapeThenTab = EditorView.domEventObservers({
  keydown(event, view) {
    if (event.key === 'Escape') view.setTabFocusMode(2_000)
  },
})

/**
 * Text over a selection of several lines. Chromium would join their elements and keep their look by `style`
 * attributes, which the content security policy refuses with an error in the log.
 */
const replaceLines = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event
    const { from, to } = view.state.selection.main
    const isOverLines = view.state.doc.lineAt(from).to < to
    if (inputType !== 'insertText' || data === null || view.composing || !isOverLines) return false
    const insert = () => view.state.update(view.state.replaceSelection(data), typed)
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})
const typed = { userEvent: 'input.type', scrollIntoView: true }

/** A file of Windows keeps its line endings. One with both kinds gets those of Unix at its first change. */
const lineEndingsOf = (text: string): Extension =>
  text.includes('\r\n') && !/(?<!\r)\n/.test(text) ? EditorState.lineSeparator.of('\r\n') : []

const keysId = 'keys'

/** What a screen reader says of the keys. In the shadow root, since an id does not reach out of it. */
export function keysHint(): HTMLElement {
  const hint = document.createElement('p')
  hint.id = keysId
  hint.hidden = true
  hint.textContent = 'Tab indents. Escape, then Tab leaves the editor. Control F searches.'
  return hint
}
