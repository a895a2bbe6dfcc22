import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field } from '../parts/forms.tsx'

type TextProps = {
  name: string
  text: string
  readOnly: boolean
  /** Takes the focus when it appears. */
  focused?: boolean
  /** The line that is selected when it appears. */
  line?: number | undefined
  onChange: (text: string) => void
}

/** Tab moves the focus out of the editor, as in every form field. Ctrl or Cmd with `]` indents. */
export function FileText(props: TextProps) {
  const { name, text, readOnly, focused = false, line, onChange } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focused) area.current?.focus()
  }, [focused])
  useEffect(() => {
    if (area.current && line !== undefined) selectLine(area.current, line)
  }, [name, line])
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== ']' || !(event.ctrlKey || event.metaKey) || readOnly) return
    event.preventDefault()
    const area = event.currentTarget
    area.setRangeText('  ', area.selectionStart, area.selectionEnd, 'end')
    onChange(area.value)
  }
  return (
    <div>
      <label htmlFor={id} className="visually-hidden">
        Text of {name}
      </label>
      <textarea
        id={id}
        ref={area}
        className="editor-text"
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        readOnly={readOnly}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKey}
      />
    </div>
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

type NamesProps = {
  names: readonly string[]
  chosen: string | undefined
  isChanged?: (name: string) => boolean
  onChoose: (name: string) => void
}

export function FileNames({ names, chosen, isChanged, onChoose }: NamesProps) {
  return (
    <div role="tablist" aria-label="Files" aria-orientation="vertical">
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          className="editor-file"
          onClick={() => onChoose(name)}
        >
          {name}
          {isChanged?.(name) && <span aria-label="changed"> •</span>}
        </button>
      ))}
    </div>
  )
}

type NewFileProps = { taken: readonly string[]; onMake: (name: string) => void }

export function NewFile({ taken, onMake }: NewFileProps) {
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<Error | null>(null)
  const begin = () => {
    setTyped('')
    setError(null)
    setOpen(true)
  }
  const make = () => {
    const name = typed.trim()
    if (taken.includes(name)) return setError(new Error(`There is a file ${name} already.`))
    setOpen(false)
    onMake(name)
  }
  return (
    <>
      <button type="button" className="editor-file" onClick={begin}>
        + New file
      </button>
      {open && (
        <FormDialog
          title="New file"
          act="Add it"
          doing={{ isPending: false, error }}
          onSubmit={make}
          onClose={() => setOpen(false)}
        >
          <Field
            label="Name"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            required
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            placeholder="network.tf"
            hint="Include the folder if there is one: modules/network/main.tf"
          />
        </FormDialog>
      )}
    </>
  )
}
