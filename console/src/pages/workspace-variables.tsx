import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { variablesQuery } from '../api/queries.ts'
import type { Variable } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button, Check, Field, Select, textIn } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Scroller } from '../parts/scroller.tsx'

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
          <p>What the files ask for, and what providers read from the environment.</p>
          {add}
        </Empty>
      )}
      {variables.length > 0 && (
        <>
          <Scroller label="Variables">
            <table>
              <thead>
                <tr>
                  <th scope="col">Key</th>
                  <th scope="col">Value</th>
                  <th scope="col">Kind</th>
                  <th scope="col">
                    <span className="visually-hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {variables.map((variable) => (
                  <VariableRow
                    key={variable.id}
                    workspaceId={id}
                    variable={variable}
                    onEdit={() => setEdited(variable)}
                  />
                ))}
              </tbody>
            </table>
          </Scroller>
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

function VariableRow({
  workspaceId,
  variable,
  onEdit,
}: {
  workspaceId: number
  variable: Variable
  onEdit: () => void
}) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      call('deleteVariable', { params: { id: workspaceId, variableId: variable.id } }),
    onSuccess: async () =>
      queryClient.invalidateQueries({ queryKey: ['workspaces', workspaceId, 'variables'] }),
  })
  return (
    <tr>
      <th scope="row">
        <code>{variable.key}</code>
      </th>
      <td>
        {variable.value === null ? (
          <span className="dim">•••• sensitive, written only</span>
        ) : (
          <code>{variable.value}</code>
        )}
        <ErrorNote error={remove.error} />
      </td>
      <td>{variable.kind}</td>
      <td>
        {may('mutate_infra') && (
          <span className="table-actions">
            <Button aria-label={`Change ${variable.key}`} onClick={onEdit}>
              Change
            </Button>
            <Button
              aria-label={`Delete ${variable.key}`}
              busy={remove.isPending}
              onClick={() => confirm(`Delete ${variable.key}?`) && remove.mutate()}
            >
              Delete
            </Button>
          </span>
        )}
      </td>
    </tr>
  )
}

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
            body: { value, sensitive },
          })
        : call('createVariable', {
            params: { id: workspaceId },
            body: {
              key: textIn(form, 'key').trim(),
              value,
              sensitive,
              kind: textIn(form, 'kind') === 'env' ? 'env' : 'terraform',
            },
          })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces', workspaceId, 'variables'] })
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget))
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={variable ? `Change ${variable.key}` : 'New variable'}
    >
      <form onSubmit={submit} className="stack">
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
        <Check
          label="Sensitive: written only, and masked wherever it would show"
          name="sensitive"
          defaultChecked={variable?.sensitive}
        />
        <ErrorNote error={save.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
