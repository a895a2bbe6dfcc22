import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn } from '../parts/forms.tsx'
import type { Unit } from './queries.ts'
import { ScopeFields, sentScope, type ScopeKind } from './scope-fields.tsx'
import { unitChange } from './unit-change.ts'

/** Creates a unit, or changes this one. */
export function UnitForm({ unit: newest, onClose }: { unit?: Unit; onClose: () => void }) {
  const queryClient = useQueryClient()
  // The page reads the unit again behind the form. What is sent is compared with what the form was opened with.
  const [unit] = useState(newest)
  const [scopeKind, setScopeKind] = useState<ScopeKind>(unit?.scopeKind ?? 'all')
  const save = useMutation({
    mutationFn: async (form: FormData): Promise<unknown> => {
      const body = {
        name: textIn(form, 'name').trim(),
        unit: textIn(form, 'unit').trim(),
        scopeKind,
        scopeValue: sentScope(form, scopeKind),
      }
      if (!unit) return call('createUnit', { body })
      const change = unitChange(body, unit)
      if (Object.keys(change).length === 0) return undefined
      return call('updateUnit', { params: { id: unit.id }, body: change })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['cost', 'units'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={unit ? `Change ${unit.name}` : 'New unit'}
      act={unit ? 'Save' : 'Create unit'}
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <Field label="Name" name="name" defaultValue={unit?.name} required maxLength={200} />
      <Field
        label="What one of it is called"
        name="unit"
        defaultValue={unit?.unit}
        required
        maxLength={60}
        autoComplete="off"
        hint="In the singular, such as order, user or gigabyte."
      />
      <ScopeFields before={unit} kind={scopeKind} onKind={setScopeKind} />
    </FormDialog>
  )
}
