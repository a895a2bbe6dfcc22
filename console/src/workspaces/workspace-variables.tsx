import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { variablesQuery } from '../api/queries.ts'
import type { Variable } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Check, Field, Select, textIn } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'

export function Variables({ id }: { id: number }) {
  const { may } = useMe()
  const query = useQuery(variablesQuery(id))
  const [edited, setEdited] = useState<Variable | 'new'>()
  const variables = query.data?.variables ?? []
  const add = may('mutate_infra') && (
    <Button tone="primary" onClick={() => setEdited('new')}>
      New variable
    </Button>
  )
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="variables" />}
      {query.isSuccess && variables.length === 0 && (
        <Empty title="No variables yet">
          <p>Values for variables in the files, and environment variables for providers.</p>
          {add}
        </Empty>
      )}
      {variables.length > 0 && (
        <>
          <DataTable
            label="Variables"
            rows={variables}
            columns={[
              { title: 'Key', render: ({ key }) => <code>{key}</code> },
              { title: 'Value', render: ({ value }) => <ValueOf value={value} /> },
              { title: 'Kind', render: ({ kind }) => kindWords[kind] },
              { title: 'Given to', render: ({ phase }) => phaseWords[phase] },
              may('mutate_infra') && {
                title: 'Actions',
                look: 'actions',
                render: (variable) => (
                  <>
                    <Button
                      aria-label={`Change ${variable.key}`}
                      onClick={() => setEdited(variable)}
                    >
                      Change
                    </Button>
                    <ConfirmButton
                      label="Delete…"
                      name={`Delete ${variable.key}`}
                      title={`Delete ${variable.key}?`}
                      act="Delete"
                      run={() =>
                        call('deleteVariable', { params: { id, variableId: variable.id } })
                      }
                      refresh={variablesQuery(id).queryKey}
                    >
                      {deleteWords(variable)}
                    </ConfirmButton>
                  </>
                ),
              },
            ]}
          />
          <div className="bar">{add}</div>
        </>
      )}
      {edited && (
        <VariableDialog
          workspaceId={id}
          variable={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

const kindWords: Record<Variable['kind'], string> = {
  terraform: 'OpenTofu variable',
  env: 'environment',
}

const phaseWords: Record<Variable['phase'], string> = {
  both: 'plan and apply',
  plan: 'plan only',
  apply: 'apply only',
}

const phases: Variable['phase'][] = ['both', 'plan', 'apply']

const phaseIn = (form: FormData): Variable['phase'] =>
  phases.find((phase) => phase === form.get('phase')) ?? 'both'

const ValueOf = ({ value }: { value: Variable['value'] }) =>
  value === null ? (
    <span className="dim">•••• sensitive, written only</span>
  ) : (
    <code className="detail">{value}</code>
  )

const deleteWords = ({ value }: Variable) =>
  value === null
    ? 'The next run does not get it. Nobody can read its value again: save it elsewhere first.'
    : 'The next run does not get it.'

type DialogProps = { workspaceId: number; variable: Variable | undefined; onClose: () => void }

function VariableDialog({ workspaceId, variable, onClose }: DialogProps) {
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
          <Field label="Key" name="key" required maxLength={255} autoComplete="off" />
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
