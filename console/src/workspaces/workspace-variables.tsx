import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { variablesQuery } from './queries.ts'
import type { Variable } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { phaseWords, VariableDialog } from './variable-dialog.tsx'
import { plainLine, plainText } from '../parts/plain-text.ts'

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
              {
                title: 'Key',
                render: ({ key, description }) => (
                  <>
                    <code>{key}</code>
                    {description && <bdi className="row-sub">{plainLine(description)}</bdi>}
                  </>
                ),
              },
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

const ValueOf = ({ value }: { value: Variable['value'] }) =>
  value === null ? (
    <span className="dim">•••• sensitive, written only</span>
  ) : (
    <code className="detail">{plainText(value)}</code>
  )

const deleteWords = ({ value }: Variable) =>
  value === null
    ? 'The next run does not get it. Nobody can read its value again: save it elsewhere first.'
    : 'The next run does not get it.'
