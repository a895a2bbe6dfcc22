import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { CloudAccountField } from '../clouds/account-field.tsx'
import { gitOption } from '../git/files-choice.tsx'
import { gitSourceIn } from '../git/git-source.ts'
import { GitSourceFields } from '../git/git-source-fields.tsx'
import { Choices } from '../parts/choices.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn } from '../parts/forms.tsx'
import type { WorkspaceSearch } from '../app/searches.ts'
import { CriticalityField } from './criticality-field.tsx'
import type { WorkspacesSearch } from './workspaces-search.ts'

const sources = [
  {
    value: 'editor',
    label: 'Write them in the editor',
    words: 'Here in the console, beginning with main.tf. Each save is a version.',
  },
  {
    value: 'upload',
    label: 'Upload them',
    words: 'A folder, an archive or single files. You can change them in the editor afterwards.',
  },
  gitOption,
] as const
type Source = (typeof sources)[number]['value']

/** Where a new workspace opens: a run reads the files from Git, others are to be written first. */
const placeOf: Record<Source, WorkspaceSearch> = {
  editor: { tab: 'files', file: 'main.tf' },
  upload: { tab: 'files', upload: true },
  git: {},
}

const Sources = (props: { value: Source; onChange: (value: Source) => void }) => (
  <Choices {...props} name="filesFrom" legend="Where do the files come from?" options={sources} />
)

type Props = {
  /** That of the list under the dialog. */
  search: WorkspacesSearch
  onClose: () => void
}

/** One choice says where the files come from; all that Git needs is asked for here. */
export function CreateWorkspace({ search, onClose }: Props) {
  const { may } = useMe()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [from, setFrom] = useState<Source>('editor')
  const create = useMutation({
    mutationFn: (form: FormData) =>
      call('createWorkspace', {
        body: {
          name: textIn(form, 'name'),
          criticality: textIn(form, 'criticality') === 'production' ? 'production' : 'standard',
          // A plan that destroys something waits, until somebody chooses otherwise in the settings.
          confirm: 'destroys',
          cloudAccountId: Number(textIn(form, 'cloudAccountId')) || null,
          ...(from === 'git' && gitSourceIn(form)),
        },
      }),
    onSuccess: async ({ workspace }) => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces', 'list'] })
      // Replaces the history entry, so that the Back button leads to the list and not to this dialog.
      await navigate({ to: '/workspaces', search, replace: true })
      await navigate({
        to: '/workspaces/$id',
        params: { id: workspace.id },
        search: placeOf[from],
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
      <CriticalityField />
      {may('manage_cloud_accounts') && <CloudAccountField was={null} onlyIfAny />}
      <Sources value={from} onChange={setFrom} />
      {from === 'git' && <GitSourceFields />}
    </FormDialog>
  )
}
