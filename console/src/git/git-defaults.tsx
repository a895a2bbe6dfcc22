import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { call } from '../api/call.ts'
import { gitRepositoriesQuery } from '../api/queries.ts'
import type { GitConnection } from '../api/types.ts'
import { useSettled } from '../parts/filter-box.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn } from '../parts/forms.tsx'
import { defaultsChange } from './defaults-change.ts'

type Props = { connection: GitConnection; onClose: () => void }

/** Changes the repository or the branch of a connection, and suggests repositories that its token can read. */
export function GitDefaults({ connection, onClose }: Props) {
  const queryClient = useQueryClient()
  const listId = useId()
  const [typed, setTyped] = useState(connection.defaultRepo ?? '')
  const query = useQuery(gitRepositoriesQuery(connection.id, useSettled(typed)))
  const repos = query.data?.repos ?? []
  const save = useMutation({
    mutationFn: async (form: FormData): Promise<unknown> => {
      const body = defaultsChange({ repo: typed, branch: textIn(form, 'branch') }, connection)
      if (Object.keys(body).length === 0) return undefined
      return call('setGitDefaults', { params: { id: connection.id }, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['git'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={connection.defaultRepo ?? connection.host}
      description={
        connection.defaultRepo ? (
          <p>
            The marker of this organization is removed from the current branch and added to the new
            one. Files that are already in the current branch stay there.
          </p>
        ) : undefined
      }
      act="Save"
      doing={save}
      error={query.error}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
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
        hint="Type the first letters of its name."
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
        placeholder="default branch"
      />
    </FormDialog>
  )
}
