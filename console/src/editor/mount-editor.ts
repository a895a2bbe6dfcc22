import { setDiagnostics } from '@codemirror/lint'
import type { EditorState, Text } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { Mark } from './code-types.ts'
import { diagnosticsOf, lineAt } from './diagnostics-of.ts'
import { fromOutside, keysHint, stateOf, type Listeners, type Shown } from './editor-state.ts'

export type MountedEditor = {
  /** Shows a file. Its text replaces the one in the editor if it changed elsewhere. */
  show: (shown: Shown) => void
  mark: (marks: readonly Mark[]) => void
  goTo: (line: number) => void
  focus: () => void
  close: () => void
}

/**
 * CodeMirror in the shadow root of `host`. There it styles itself by constructable style sheets, which the
 * content security policy of the console allows. In a document it would add a `style` element, which the
 * policy refuses. Each file keeps its undo history while another one is shown.
 */
export function mountEditor(host: HTMLElement, listeners: Listeners): MountedEditor {
  // An element gets one shadow root in its life, and React may mount twice.
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({ parent: root, root })
  root.append(keysHint())
  const states = new Map<string, EditorState>()
  const marked = new Map<string, readonly Mark[]>()
  const texts = textsOf(view)
  let current = ''
  return {
    show(shown) {
      const key = `${shown.readOnly ? 'read' : 'write'} ${shown.name}`
      if (key !== current) {
        states.set(current, view.state)
        view.setState(
          states.get(key) ??
            stateOf(shown, {
              ...listeners,
              onChange(text) {
                texts.report(text)
                listeners.onChange(text)
              },
            }),
        )
        current = key
        texts.begin()
      }
      texts.receive(shown.text)
    },
    mark(marks) {
      // Those that are set moved with what was typed.
      if (marked.get(current) === marks) return
      marked.set(current, marks)
      view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, marks)))
    },
    goTo(line) {
      const { from, to } = lineAt(view.state, line)
      view.dispatch({
        selection: { anchor: from, head: to },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      })
      view.focus()
    },
    focus: () => view.focus(),
    close() {
      view.destroy()
      root.replaceChildren()
    },
  }
}

/** The part that differs, so that the cursor stays where it was in the rest. */
function changeBetween(before: Text, after: Text) {
  const [was, is] = [before.toString(), after.toString()]
  const shorter = Math.min(was.length, is.length)
  let from = 0
  while (from < shorter && was[from] === is[from]) from += 1
  let end = 0
  while (end < shorter - from && was.at(-1 - end) === is.at(-1 - end)) end += 1
  return { from, to: was.length - end, insert: after.slice(from, is.length - end) }
}

/**
 * Tells a text that came from elsewhere (another version, a merge) from one that was typed here and comes back
 * from React, possibly after more was typed. Only the first kind replaces what is in the editor.
 */
function textsOf(view: EditorView) {
  let received: string | undefined
  let reported: string[] = []
  return {
    begin() {
      received = undefined
      reported = []
    },
    report: (text: string) => void reported.push(text),
    receive(text: string) {
      const at = reported.indexOf(text)
      const isOwn = at >= 0 || text === received
      received = text
      reported = reported.slice(at + 1)
      if (isOwn || view.state.sliceDoc() === text) return
      reported = []
      const insert = view.state.toText(text)
      if (insert.eq(view.state.doc)) return
      view.dispatch({
        changes: changeBetween(view.state.doc, insert),
        annotations: fromOutside.of(true),
      })
    },
  }
}
