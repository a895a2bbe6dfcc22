import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { PipelineVariable } from '../api/types.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Check, Field, Select, textIn, TextField } from '../parts/forms.tsx'

type Props = {
  pipelineId: number
  /** The one that is changed; undefined for a new one. */
  variable: PipelineVariable | undefined
  onClose: () => void
}

/** Makes or changes a variable of an application pipeline. */
export function PipelineVariableDialog({ pipelineId, variable, onClose }: Props) {
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: (form: FormData) => send(form, { pipelineId, variable }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['pipelines', pipelineId, 'variables'] })
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
      <VariableFields variable={variable} />
    </FormDialog>
  )
}

const VariableFields = ({ variable }: Pick<Props, 'variable'>) => (
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
      hint={
        variable?.sensitive
          ? 'The value is not shown. Leave it empty to keep it; what you write here replaces it.'
          : undefined
      }
    />
    <Select label="Given to" name="phase" defaultValue={variable?.phase}>
      {(['build', 'deploy'] as const).map((phase) => (
        <option key={phase} value={phase}>
          {variablePhases[phase]}
        </option>
      ))}
    </Select>
    <Check
      label="Sensitive: written only, and masked wherever it would show"
      name="sensitive"
      defaultChecked={variable?.sensitive}
    />
    <p className="hint">
      Steps of a build get a sensitive variable only if the manifest names it in their secrets. A
      person who changes a variable is an author of the next run.
    </p>
  </>
)

export const variablePhases: Record<PipelineVariable['phase'], string> = {
  build: 'steps of a build',
  deploy: 'hooks on the hosts',
}

function send(
  form: FormData,
  { pipelineId, variable }: Pick<Props, 'pipelineId' | 'variable'>,
): Promise<unknown> {
  const value = textIn(form, 'value')
  const sensitive = form.get('sensitive') !== null
  const phase = textIn(form, 'phase') === 'deploy' ? 'deploy' : 'build'
  const params = { id: pipelineId }
  if (!variable)
    return call('createPipelineVariable', {
      params,
      body: { key: textIn(form, 'key').trim(), value, sensitive, phase },
    })
  // Left empty, a sensitive value stays: nobody can type again what is never shown.
  const keeps = variable.sensitive && sensitive && value === ''
  return call('updatePipelineVariable', {
    params: { ...params, variableId: variable.id },
    body: { ...(!keeps && { value }), sensitive, phase },
  })
}
