import { useState } from 'react'
import { plural } from '../api/words.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field } from '../parts/forms.tsx'

type NamesProps = {
  names: readonly string[]
  chosen: string | undefined
  isChanged?: (name: string) => boolean
  /** How many things the last run said about it. */
  marksOf?: (name: string) => number
  onChoose: (name: string) => void
}

export function FileNames({ names, chosen, isChanged, marksOf, onChoose }: NamesProps) {
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
          <MarkCount count={marksOf?.(name) ?? 0} />
        </button>
      ))}
    </div>
  )
}

const MarkCount = ({ count }: { count: number }) =>
  count > 0 && (
    <span className="editor-marks">
      <span aria-hidden="true">{count}</span>
      <span className="visually-hidden">, {plural(count, 'problem')}</span>
    </span>
  )

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
