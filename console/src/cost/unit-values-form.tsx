import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { textIn, TextField } from '../parts/forms.tsx'
import type { Unit } from './queries.ts'
import { readValues, type ReadValues } from './read-values.ts'

type Fault = ReadValues['faults'][number]

/** Takes values that are pasted as lines of day and value. Nothing is saved while one line is wrong. */
export function UnitValuesForm({ unit, onClose }: { unit: Unit; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const save = useMutation({
    mutationFn: (values: ReadValues['values']) =>
      call('putUnitValues', { params: { id: unit.id }, body: { values } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['cost', 'units'] })
      onClose()
    },
  })
  const submit = (form: FormData) => {
    const read = readValues(textIn(form, 'values'))
    const found =
      read.values.length === 0 && read.faults.length === 0
        ? [{ line: 1, message: 'There is no value.' }]
        : read.faults
    setFaults(found)
    save.reset()
    if (found.length === 0) save.mutate(read.values)
  }
  return (
    <FormDialog
      title={`Values of ${unit.name}`}
      description="They replace those of the same days. The values of other days stay."
      act="Save values"
      doing={save}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="One day a line"
        name="values"
        rows={10}
        required
        spellCheck={false}
        autoComplete="off"
        className="unit-values"
        placeholder={'2026-03-01,1200\n2026-03-02,1350'}
        hint="The day, a comma and the value, as 2026-03-01,1200. Lines of a spreadsheet can be pasted too."
      />
      <Faults faults={faults} />
    </FormDialog>
  )
}

const shownFaults = 10

function Faults({ faults }: { faults: readonly Fault[] }) {
  if (faults.length === 0) return null
  const more = faults.length - shownFaults
  return (
    <div className="note bad" role="alert">
      <p>Nothing was saved. Correct these lines:</p>
      <ul>
        {faults.slice(0, shownFaults).map(({ line, message }) => (
          <li key={line}>
            Line {line}: {message}
          </li>
        ))}
      </ul>
      {more > 0 && <p>And {more.toLocaleString('en')} more.</p>}
    </div>
  )
}
