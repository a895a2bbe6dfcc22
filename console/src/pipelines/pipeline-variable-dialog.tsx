import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { PipelineVariable } from '../api/types.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Check, Field, Select, textIn, TextField } from '../parts/forms.tsx'
import { useVariableChange } from '../workspaces/use-variable-change.ts'
import { pipelineVariablesQuery } from './queries.ts'

type Props = {
  pipelineId: number
  /** The one that is changed; undefined for a new one. */
  variable: PipelineVariable | undefined
  onClose: () => void
}

/** Makes or changes a variable of an application pipeline. */
export function PipelineVariableDialog(props: Props) {
  const { variable, onClose } = props
  const save = useSave(props)
  return (
    <FormDialog
      title={variable ? `Change ${variable.key}` : 'New variable'}
      act="Save"
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <VariableFields variable={variable} />
    </FormDialog>
  )
}

/** Creates it, or sends what was changed. */
function useSave({ pipelineId, variable: opened, onClose }: Props) {
  const queryClient = useQueryClient()
  const change = useVariableChange<PipelineVariable, Typed>(opened, {
    list: async () =>
      queryClient.fetchQuery({ ...pipelineVariablesQuery(pipelineId), staleTime: 0 }),
    send: async (variableId, body) =>
      call('updatePipelineVariable', { params: { id: pipelineId, variableId }, body }),
  })
  return useMutation({
    mutationFn: async (form: FormData): Promise<unknown> => {
      const typed = typedIn(form)
      if (opened) return change(typed)
      const body = { key: textIn(form, 'key').trim(), ...typed }
      return call('createPipelineVariable', { params: { id: pipelineId }, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['pipelines', pipelineId, 'variables'] })
      onClose()
    },
  })
}

type Typed = ReturnType<typeof typedIn>

const typedIn = (form: FormData) => ({
  value: textIn(form, 'value'),
  sensitive: form.get('sensitive') !== null,
  phase: phaseIn(textIn(form, 'phase')),
})

const phaseIn = (text: string): PipelineVariable['phase'] =>
  text === 'deploy' ? 'deploy' : 'build'

function VariableFields({ variable }: Pick<Props, 'variable'>) {
  const [phase, setPhase] = useState(variable?.phase ?? 'build')
  const [sensitive, setSensitive] = useState(variable?.sensitive ?? false)
  const moves = variable !== undefined && phase !== variable.phase
  // The service refuses such a change without a value.
  const isRequired = variable?.sensitive === true && (!sensitive || moves)
  return (
    <>
      {!variable && (
        <Field
          label="Key"
          name="key"
          required
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          hint="The name of the environment variable."
        />
      )}
      <TextField
        label="Value"
        name="value"
        defaultValue={variable?.value ?? ''}
        rows={2}
        maxLength={65_536}
        autoComplete="off"
        spellCheck={false}
        className="variable-value"
        required={isRequired}
        hint={hintOf({ variable, sensitive, isRequired })}
      />
      <Select
        label="Given to"
        name="phase"
        value={phase}
        onChange={({ target }) => setPhase(phaseIn(target.value))}
      >
        {(['build', 'deploy'] as const).map((phase) => (
          <option key={phase} value={phase}>
            {variablePhases[phase]}
          </option>
        ))}
      </Select>
      <Check
        label="Sensitive: written only, and masked wherever it would show"
        name="sensitive"
        checked={sensitive}
        onChange={({ target }) => setSensitive(target.checked)}
      />
      <p className="hint">
        Steps of a build get a sensitive variable only if the manifest names it in their secrets. A
        person who changes a variable is an author of the next run.
      </p>
    </>
  )
}

type Hinted = Pick<Props, 'variable'> & { sensitive: boolean; isRequired: boolean }

function hintOf({ variable, sensitive, isRequired }: Hinted): string | undefined {
  if (!variable?.sensitive) return undefined
  if (!isRequired)
    return 'The value is not shown. Leave it empty to keep it; what you write here replaces it.'
  return sensitive
    ? 'A sensitive value is not given to other steps than before, so a new one is needed.'
    : 'A sensitive value is never shown again, so a new one is needed.'
}

export const variablePhases: Record<PipelineVariable['phase'], string> = {
  build: 'steps of a build',
  deploy: 'hooks on the hosts',
}
