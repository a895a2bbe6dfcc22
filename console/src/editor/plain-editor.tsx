import { useEffect, useRef } from 'react'
import type { CodeProps } from './code-types.ts'

/** The text without colours: until the editor is loaded, and where it cannot be loaded. */
export function PlainEditor(props: CodeProps) {
  const { name, label, text, readOnly, focusOn, place, onChange } = props
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focusOn) area.current?.focus()
  }, [name, focusOn])
  useEffect(() => {
    if (area.current && place) selectLine(area.current, place.line)
  }, [name, place])
  return (
    <textarea
      ref={area}
      aria-label={label}
      className="editor-text"
      spellCheck={false}
      autoCapitalize="off"
      wrap="off"
      readOnly={readOnly}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** Selects a line and scrolls it to the middle. */
function selectLine(area: HTMLTextAreaElement, line: number): void {
  const lines = area.value.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
  area.focus()
  area.setSelectionRange(before, before + (lines[line - 1]?.length ?? 0))
  area.scrollTop = (area.scrollHeight / lines.length) * (line - 1) - area.clientHeight / 2
}
