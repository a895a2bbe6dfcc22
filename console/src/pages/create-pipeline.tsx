import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { workspacesQuery } from '../api/queries.ts'
import { useMe } from '../app/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button, Field, Select, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** A pipeline of one's own over a workspace, beside the one that the workspace brought. */
export function CreatePipeline() {
  const { may } = useMe()
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const workspaces = useInfiniteQuery({ ...workspacesQuery, enabled: open })
  const create = useMutation({
    mutationFn: (form: FormData) =>
      call('createPipeline', {
        body: {
          name: textIn(form, 'name'),
          kind: 'infrastructure',
          targetWorkspaceId: Number(textIn(form, 'workspace')),
        },
      }),
    onSuccess: async ({ pipeline }) => {
      await queryClient.invalidateQueries({ queryKey: ['pipelines', 'list'] })
      await navigate({ to: '/pipelines/$id', params: { id: pipeline.id } })
    },
  })
  if (!may('mutate_infra')) return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(new FormData(event.currentTarget))
  }
  return (
    <>
      <Button tone="primary" onClick={() => setOpen(true)}>
        New pipeline
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title="New infrastructure pipeline">
        <form onSubmit={submit} className="stack">
          <Field label="Name" name="name" required maxLength={200} autoComplete="off" />
          <Select label="Workspace" name="workspace" required hint="What it plans and applies.">
            {workspaces.data?.pages.flatMap((page) =>
              page.workspaces.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              )),
            )}
          </Select>
          <ErrorNote error={create.error ?? workspaces.error} />
          <div className="dialog-actions">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" tone="primary" busy={create.isPending}>
              Create pipeline
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
