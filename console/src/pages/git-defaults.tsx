import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { gitRepositoriesQuery } from '../api/queries.ts'
import type { GitConnection } from '../api/types.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useSettled } from '../parts/filter-box.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

type Props = { connection: GitConnection; onClose: () => void }

/** Another repository or branch for a connection, among those that its token sees. */
export function GitDefaults({ connection, onClose }: Props) {
  const queryClient = useQueryClient()
  const listId = useId()
  const [typed, setTyped] = useState(connection.defaultRepo ?? '')
  const query = useQuery(gitRepositoriesQuery(connection.id, useSettled(typed)))
  const repos = query.data?.repos ?? []
  const save = useMutation({
    mutationFn: (form: FormData) => {
      const defaultBranch = textIn(form, 'branch').trim()
      const defaultRepo = typed.trim()
      return call('setGitDefaults', {
        params: { id: connection.id },
        body: { ...(defaultRepo && { defaultRepo }), ...(defaultBranch && { defaultBranch }) },
      })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['git'] })
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
      onOpenChange={onClose}
      title={connection.defaultRepo ?? connection.host}
      description={
        connection.defaultRepo ? (
          <p>
            The branch that is connected now is given back, and the other one is marked as this
            organization’s. What was written stays where it is.
          </p>
        ) : undefined
      }
    >
      <form onSubmit={submit} className="stack">
        <Field
          label="Repository"
          list={listId}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          required
          maxLength={300}
          autoComplete="off"
          spellCheck={false}
          placeholder="owner/name"
          hint="Begin to type its name."
        />
        <datalist id={listId}>
          {repos.map(({ fullName, archived }) => (
            <option key={fullName} value={fullName}>
              {archived ? `${fullName}, archived` : fullName}
            </option>
          ))}
        </datalist>
        <Field
          label="Branch"
          name="branch"
          defaultValue={connection.defaultBranch ?? ''}
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          placeholder="the repository’s own"
        />
        <ErrorNote error={save.error ?? query.error} />
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
