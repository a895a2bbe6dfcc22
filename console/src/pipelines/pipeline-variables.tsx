import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { PipelineVariable } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PipelineVariableDialog, variablePhases } from './pipeline-variable-dialog.tsx'
import { pipelineVariablesQuery } from './queries.ts'

/** What builds and hooks of an application are given. */
export function PipelineVariables({ id }: { id: number }) {
  const { may } = useMe()
  const query = useQuery(pipelineVariablesQuery(id))
  const [edited, setEdited] = useState<PipelineVariable | 'new'>()
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
          <p>
            Values for the steps of a build, such as the token of a package registry, and for the
            hooks of a deployment.
          </p>
          {add}
        </Empty>
      )}
      {variables.length > 0 && (
        <>
          <VariableTable
            id={id}
            variables={variables}
            onChange={may('mutate_infra') && setEdited}
          />
          <div className="bar">{add}</div>
        </>
      )}
      {edited && (
        <PipelineVariableDialog
          pipelineId={id}
          variable={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

type TableProps = {
  id: number
  variables: readonly PipelineVariable[]
  /** False for a person who may not change them. */
  onChange: false | ((variable: PipelineVariable) => void)
}

const VariableTable = ({ id, variables, onChange }: TableProps) => (
  <DataTable
    label="Variables"
    rows={variables}
    columns={[
      { title: 'Key', render: ({ key }) => <code>{key}</code> },
      {
        title: 'Value',
        render: ({ value }) =>
          value === null ? (
            <span className="dim">•••• sensitive, written only</span>
          ) : (
            <code className="detail">{value}</code>
          ),
      },
      { title: 'Given to', render: ({ phase }) => variablePhases[phase] },
      onChange && {
        title: 'Actions',
        look: 'actions',
        render: (variable) => (
          <>
            <Button aria-label={`Change ${variable.key}`} onClick={() => onChange(variable)}>
              Change
            </Button>
            <DeleteVariable id={id} variable={variable} />
          </>
        ),
      },
    ]}
  />
)

const DeleteVariable = ({ id, variable }: { id: number; variable: PipelineVariable }) => (
  <ConfirmButton
    label="Delete…"
    name={`Delete ${variable.key}`}
    title={`Delete ${variable.key}?`}
    act="Delete"
    run={() => call('deletePipelineVariable', { params: { id, variableId: variable.id } })}
    refresh={pipelineVariablesQuery(id).queryKey}
  >
    {variable.value === null
      ? 'The next run does not get it. Nobody can read its value again: save it elsewhere first.'
      : 'The next run does not get it.'}
  </ConfirmButton>
)
