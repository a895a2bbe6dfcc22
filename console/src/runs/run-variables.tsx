import { useEffect, useRef, useState } from 'react'
import { Button } from '../parts/forms.tsx'
import { nameField, valueField } from './variables-in.ts'

/** Values of variables for one run. They replace those of the workspace, and are not kept. */
export function RunVariables() {
  const [rows, setRows] = useState<number[]>([])
  const [next, setNext] = useState(0)
  const list = useRef<HTMLFieldSetElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  // The focus follows what was added.
  useEffect(() => {
    if (next > 0)
      list.current?.querySelector<HTMLInputElement>(`[data-row="${next - 1}"] input`)?.focus()
  }, [next])
  const remove = (row: number) => {
    setRows(rows.filter((other) => other !== row))
    add.current?.focus()
  }
  return (
    <fieldset className="run-variables" ref={list}>
      <legend className="label">Variables of this run (optional)</legend>
      {rows.map((row, index) => (
        <div key={row} data-row={row} className="run-variable">
          <input
            name={nameField}
            aria-label={`Name of variable ${index + 1}`}
            placeholder="name"
            required
            maxLength={255}
            pattern="[A-Za-z_][A-Za-z0-9_\-]*"
            title="Letters, digits, _ and -, not beginning with a digit"
            autoComplete="off"
            spellCheck={false}
          />
          <input
            name={valueField}
            aria-label={`Value of variable ${index + 1}`}
            placeholder="value"
            autoComplete="off"
            spellCheck={false}
          />
          <Button aria-label={`Remove variable ${index + 1}`} onClick={() => remove(row)}>
            Remove
          </Button>
        </div>
      ))}
      {rows.length > 0 && (
        <p className="hint">They replace the values of the workspace in this run alone.</p>
      )}
      <div>
        <button
          type="button"
          className="button plain"
          ref={add}
          onClick={() => {
            setRows([...rows, next])
            setNext(next + 1)
          }}
        >
          Add a variable
        </button>
      </div>
    </fieldset>
  )
}
