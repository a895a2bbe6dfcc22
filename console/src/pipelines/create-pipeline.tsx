import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { call } from '../api/call.ts'
import { workspacesQuery } from '../api/queries.ts'
import { useMe } from '../app/session.ts'
import { useSettled } from '../parts/filter-box.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'

/** Creates an additional pipeline for a workspace, which already has a managed one. */
export function CreatePipeline() {
  const { may } = useMe()
  const [open, setOpen] = useState(false)
  if (!may('mutate_infra')) return null
  return (
    <>
      <Button tone="primary" data-key="c" onClick={() => setOpen(true)}>
        New pipeline
      </Button>
      {open && <CreateDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const listId = useId()
  const [typed, setTyped] = useState('')
  const query = useInfiniteQuery(workspacesQuery(useSettled(typed)))
  const offered = query.data?.pages[0]?.workspaces ?? []
  const create = useMutation({
    mutationFn: async (form: FormData) => {
      // Requests the list again, because the suggestions may be older than the typed name.
      const { workspaces } = await call('listWorkspaces', { query: { q: typed.trim() } })
      const target = workspaces.find(({ name }) => name === typed.trim())
      if (!target)
        throw new Error(`There is no workspace “${typed.trim()}”. Choose one of the list.`)
      return call('createPipeline', {
        body: {
          name: textIn(form, 'name'),
          kind: 'infrastructure',
          targetWorkspaceId: target.id,
        },
      })
    },
    onSuccess: async ({ pipeline }) => {
      await queryClient.invalidateQueries({ queryKey: ['pipelines', 'list'] })
      await navigate({ to: '/pipelines/$id', params: { id: pipeline.id } })
    },
  })
  return (
    <FormDialog
      title="New infrastructure pipeline"
      act="Create pipeline"
      doing={create}
      error={query.error}
      onSubmit={(form) => create.mutate(form)}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={200} autoComplete="off" />
      <Field
        label="Workspace"
        name="workspace"
        list={listId}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        required
        maxLength={63}
        autoComplete="off"
        hint="The pipeline plans and applies it. Type the first letters of its name."
      />
      <datalist id={listId}>
        {offered.map(({ id, name }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </FormDialog>
  )
}
