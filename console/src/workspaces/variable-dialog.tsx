import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { variablesQuery } from './queries.ts'
import type { Variable } from '../api/types.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Check, Field, Select, textIn } from '../parts/forms.tsx'
import { useVariableChange } from './use-variable-change.ts'
import { ValueField, type NewValueReason } from './value-field.tsx'

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
  const [phase, setPhase] = useState<Variable['phase']>(variable?.phase ?? 'both')
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
          <KindField kind={kind} onChange={setKind} />
        </>
      )}
      <ValueField
        workspaceId={workspaceId}
        variable={variable}
        name={key.trim()}
        isEnvironment={kind === 'env'}
        needsNew={variable?.sensitive === true && whyNew(variable, { sensitive, phase })}
      />
      <Field
        label="Description (optional)"
        name="description"
        defaultValue={variable?.description ?? ''}
        maxLength={500}
        autoComplete="off"
        hint="What it is for. Do not write a secret here: everybody who reads the workspace sees it."
      />
      <PhaseField phase={phase} onChange={setPhase} />
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
  phase: phaseOf(form.get('phase')),
  description: textIn(form, 'description').trim(),
})

function KindField({ kind, onChange }: { kind: string; onChange: (kind: string) => void }) {
  return (
    <Select label="Kind" name="kind" value={kind} onChange={({ target }) => onChange(target.value)}>
      <option value="terraform">OpenTofu variable</option>
      <option value="env">environment</option>
    </Select>
  )
}

/** Why the service refuses this change of a sensitive variable without a new value. */
function whyNew(
  { phase: from }: Variable,
  { sensitive, phase }: Pick<Variable, 'sensitive' | 'phase'>,
): NewValueReason {
  if (!sensitive) return 'shown'
  return from !== 'both' && from !== phase && 'other_steps'
}

type PhaseProps = { phase: Variable['phase']; onChange: (phase: Variable['phase']) => void }

function PhaseField({ phase: current, onChange }: PhaseProps) {
  return (
    <Select
      label="Given to"
      name="phase"
      value={current}
      onChange={({ target }) => onChange(phaseOf(target.value))}
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

const phaseOf = (text: unknown): Variable['phase'] =>
  phases.find((phase) => phase === text) ?? 'both'
