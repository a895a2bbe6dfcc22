import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { variablesQuery } from './queries.ts'
import type { Variable } from '../api/types.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Check, Field, Select, textIn } from '../parts/forms.tsx'
import { useVariableChange } from './use-variable-change.ts'
import { ValueField } from './value-field.tsx'

type DialogProps = {
  workspaceId: number
  /** The one that is changed; undefined for a new one. */
  variable: Variable | undefined
  /** The name of a new variable of OpenTofu, where it is known: only its value is asked for. */
  name?: string
  onSaved?: () => void
  onClose: () => void
}

/** Makes or changes a variable of a workspace. */
export function VariableDialog(props: DialogProps) {
  const { workspaceId, variable, name, onClose } = props
  const [key, setKey] = useState(variable?.key ?? name ?? '')
  const [kind, setKind] = useState<string>(variable?.kind ?? 'terraform')
  const [sensitive, setSensitive] = useState(variable?.sensitive ?? false)
  const save = useSave(props)
  return (
    <FormDialog
      title={variable ? `Change ${variable.key}` : name ? `Set variable ${name}` : 'New variable'}
      act="Save"
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      {!variable && name === undefined && (
        <>
          <Field
            label="Key"
            name="key"
            required
            maxLength={255}
            autoComplete="off"
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
          <Select
            label="Kind"
            name="kind"
            value={kind}
            onChange={({ target }) => setKind(target.value)}
          >
            <option value="terraform">OpenTofu variable</option>
            <option value="env">environment</option>
          </Select>
        </>
      )}
      <ValueField
        workspaceId={workspaceId}
        variable={variable}
        name={key.trim()}
        isEnvironment={kind === 'env'}
        isRequired={variable?.sensitive === true && !sensitive}
      />
      <Field
        label="Description (optional)"
        name="description"
        defaultValue={variable?.description ?? ''}
        maxLength={500}
        autoComplete="off"
        hint="What it is for. Do not write a secret here: everybody who reads the workspace sees it."
      />
      <PhaseField phase={variable?.phase} />
      <Check
        label="Sensitive: written only, and masked wherever it would show"
        name="sensitive"
        checked={sensitive}
        onChange={({ target }) => setSensitive(target.checked)}
      />
    </FormDialog>
  )
}

/** Creates it, or sends what was changed. */
function useSave({ workspaceId, variable: opened, name, onSaved, onClose }: DialogProps) {
  const queryClient = useQueryClient()
  const change = useVariableChange<Variable, Typed>(opened, {
    list: async () => queryClient.fetchQuery({ ...variablesQuery(workspaceId), staleTime: 0 }),
    send: async (variableId, body) =>
      call('updateVariable', { params: { id: workspaceId, variableId }, body }),
  })
  return useMutation({
    mutationFn: async (form: FormData): Promise<unknown> => {
      const typed = typedIn(form)
      if (opened) return change(typed)
      const key = name ?? textIn(form, 'key').trim()
      const kind = textIn(form, 'kind') === 'env' ? 'env' : 'terraform'
      const body = { key, kind, ...typed } as const
      return call('createVariable', { params: { id: workspaceId }, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces', workspaceId, 'variables'] })
      onSaved?.()
      onClose()
    },
  })
}

type Typed = ReturnType<typeof typedIn>

const typedIn = (form: FormData) => ({
  value: textIn(form, 'value'),
  sensitive: form.get('sensitive') !== null,
  phase: phaseIn(form),
  description: textIn(form, 'description').trim(),
})

function PhaseField({ phase: current }: { phase: Variable['phase'] | undefined }) {
  return (
    <Select
      label="Given to"
      name="phase"
      defaultValue={current}
      hint="A plan-only run needs no approval and runs the code of its author. Only environment variables can be limited to plan or apply."
    >
      {phases.map((phase) => (
        <option key={phase} value={phase}>
          {phaseWords[phase]}
        </option>
      ))}
    </Select>
  )
}

export const phaseWords: Record<Variable['phase'], string> = {
  both: 'plan and apply',
  plan: 'plan only',
  apply: 'apply only',
}

const phases: Variable['phase'][] = ['both', 'plan', 'apply']

const phaseIn = (form: FormData): Variable['phase'] =>
  phases.find((phase) => phase === form.get('phase')) ?? 'both'
