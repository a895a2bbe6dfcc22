import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Variable } from '../api/types.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Check, Field, Select, textIn } from '../parts/forms.tsx'

type DialogProps = {
  workspaceId: number
  /** The one that is changed; undefined for a new one. */
  variable: Variable | undefined
  /** The name that a new one begins with. */
  name?: string
  onSaved?: () => void
  onClose: () => void
}

/** Makes or changes a variable of a workspace. */
export function VariableDialog(props: DialogProps) {
  const { workspaceId, variable, name, onSaved, onClose } = props
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: (form: FormData): Promise<unknown> => {
      const value = textIn(form, 'value')
      const sensitive = form.get('sensitive') !== null
      return variable
        ? call('updateVariable', {
            params: { id: workspaceId, variableId: variable.id },
            body: { value, sensitive, phase: phaseIn(form) },
          })
        : call('createVariable', {
            params: { id: workspaceId },
            body: {
              key: textIn(form, 'key').trim(),
              value,
              sensitive,
              phase: phaseIn(form),
              kind: textIn(form, 'kind') === 'env' ? 'env' : 'terraform',
            },
          })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces', workspaceId, 'variables'] })
      onSaved?.()
      onClose()
    },
  })
  return (
    <FormDialog
      title={variable ? `Change ${variable.key}` : 'New variable'}
      act="Save"
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      {!variable && (
        <>
          <Field
            label="Key"
            name="key"
            defaultValue={name}
            required
            maxLength={255}
            autoComplete="off"
          />
          <Select label="Kind" name="kind">
            <option value="terraform">OpenTofu variable</option>
            <option value="env">environment</option>
          </Select>
        </>
      )}
      <Field
        label="Value"
        name="value"
        defaultValue={variable?.value ?? ''}
        autoComplete="off"
        hint={
          variable?.sensitive
            ? 'The value is not shown. What you write here replaces it.'
            : undefined
        }
      />
      <Select
        label="Given to"
        name="phase"
        defaultValue={variable?.phase}
        hint="A plan-only run needs no approval and runs the code of its author. Only environment variables can be limited to plan or apply."
      >
        {phases.map((phase) => (
          <option key={phase} value={phase}>
            {phaseWords[phase]}
          </option>
        ))}
      </Select>
      <Check
        label="Sensitive: written only, and masked wherever it would show"
        name="sensitive"
        defaultChecked={variable?.sensitive}
      />
    </FormDialog>
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
