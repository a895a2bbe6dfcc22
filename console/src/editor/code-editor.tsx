import { useEffect, useLayoutEffect, useRef } from 'react'
import type { CodeProps, Mark } from './code-types.ts'
import { mountEditor, type MountedEditor } from './mount-editor.ts'

const noMarks: readonly Mark[] = []

/** CodeMirror in a shadow root. `mountEditor` says why. */
export function CodeEditor(props: CodeProps) {
  const { name, label, text, readOnly, focusOn, place, marks = noMarks } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<MountedEditor>(undefined)
  const newest = useRef(props)
  useLayoutEffect(() => {
    newest.current = props
  })
  useLayoutEffect(() => {
    if (!host.current) return undefined
    const mounted = mountEditor(host.current, {
      onChange: (typed) => newest.current.onChange(typed),
      complete: (before) => newest.current.complete?.(before),
    })
    editor.current = mounted
    return () => mounted.close()
  }, [])
  useLayoutEffect(() => editor.current?.show({ name, label, text, readOnly }))
  useLayoutEffect(() => editor.current?.mark(marks), [name, readOnly, marks])
  useEffect(() => {
    if (focusOn) editor.current?.focus()
  }, [name, focusOn])
  useEffect(() => {
    if (place) editor.current?.goTo(place.line)
  }, [name, place])
  return <div ref={host} className="code-host" />
}
