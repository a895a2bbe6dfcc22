import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, Select, textIn } from '../parts/forms.tsx'
import type { WorkspacesSearch } from './workspaces-search.ts'

/** `search` is that of the list under the dialog. */
export function CreateWorkspace({
  search,
  onClose,
}: {
  search: WorkspacesSearch
  onClose: () => void
}) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: (form: FormData) =>
      call('createWorkspace', {
        body: {
          name: textIn(form, 'name'),
          criticality: textIn(form, 'criticality') === 'production' ? 'production' : 'standard',
          // A plan that destroys something waits, until somebody chooses otherwise in the settings.
          confirm: 'destroys',
        },
      }),
    onSuccess: async ({ workspace }) => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces', 'list'] })
      // Replaces the history entry, so that the Back button leads to the list and not to this dialog.
      await navigate({ to: '/workspaces', search, replace: true })
      await navigate({
        to: '/workspaces/$id',
        params: { id: workspace.id },
        search: { tab: 'files' },
      })
    },
  })
  return (
    <FormDialog
      title="New workspace"
      act="Create workspace"
      doing={create}
      onSubmit={(form) => create.mutate(form)}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={63}
        pattern="[a-z0-9][a-z0-9\-]*"
        autoComplete="off"
        hint="Lower-case letters, digits and hyphens."
      />
      <Select
        label="Criticality"
        name="criticality"
        hint="Production waits for a second person before anything is applied."
      >
        <option value="standard">standard</option>
        <option value="production">production</option>
      </Select>
    </FormDialog>
  )
}
