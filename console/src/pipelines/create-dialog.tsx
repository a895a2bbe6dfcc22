import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { call } from '../api/call.ts'
import { workspacesQuery } from '../api/queries.ts'
import type { Pipeline } from '../api/types.ts'
import { Choices } from '../parts/choices.tsx'
import { useSettled } from '../parts/filter-box.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn } from '../parts/forms.tsx'
import { ReleaseFields, TriggerFields } from './application-fields.tsx'
import { createdIn } from './application-form.ts'
import { ApplicationSourceFields } from './application-source-fields.tsx'
import { ManifestDesk } from './manifest-desk.tsx'
import { WorkspacePicker } from './workspace-picker.tsx'

type Kind = Pipeline['kind']

const kinds = [
  {
    value: 'application',
    label: 'An application',
    words:
      'Builds a repository, keeps the signed artifact, and brings it to the hosts of a workspace.',
  },
  {
    value: 'infrastructure',
    label: 'Infrastructure',
    words: 'Plans and applies a workspace, beside the pipeline that the workspace brought.',
  },
] as const

/** One choice says what the pipeline is for; all that the kind needs is asked for below it. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [kind, setKind] = useState<Kind>('application')
  const create = useMutation({
    mutationFn: async (form: FormData) =>
      call('createPipeline', {
        body: kind === 'application' ? createdIn(form) : await infrastructureIn(form),
      }),
    onSuccess: async ({ pipeline }) => {
      await queryClient.invalidateQueries({ queryKey: ['pipelines', 'list'] })
      await navigate({ to: '/pipelines/$id', params: { id: pipeline.id } })
    },
  })
  return (
    <FormDialog
      title="New pipeline"
      act="Create pipeline"
      doing={create}
      onSubmit={(form) => create.mutate(form)}
      onClose={onClose}
    >
      <Choices
        name="kind"
        legend="What is it for?"
        options={kinds}
        value={kind}
        onChange={setKind}
      />
      <Field label="Name" name="name" required maxLength={200} autoComplete="off" />
      {kind === 'application' ? <ApplicationParts /> : <WorkspaceField />}
    </FormDialog>
  )
}

function ApplicationParts() {
  // The starters are loaded once somebody looks.
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ApplicationSourceFields was={undefined} />
      <WorkspacePicker was={undefined} />
      <TriggerFields was={undefined} />
      <details className="more-fields">
        <summary>Guards of a release</summary>
        <ReleaseFields was={undefined} />
      </details>
      <details
        className="more-fields"
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>The repository has no manifest yet</summary>
        {isOpen && <ManifestDesk />}
      </details>
    </>
  )
}

function WorkspaceField() {
  const listId = useId()
  const [typed, setTyped] = useState('')
  const query = useInfiniteQuery(workspacesQuery(useSettled(typed)))
  const offered = query.data?.pages[0]?.workspaces ?? []
  return (
    <>
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
    </>
  )
}

async function infrastructureIn(form: FormData) {
  const typed = textIn(form, 'workspace').trim()
  // Requests the list again, because the suggestions may be older than the typed name.
  const { workspaces } = await call('listWorkspaces', { query: { q: typed || undefined } })
  const target = workspaces.find(({ name }) => name === typed)
  if (!target) throw new Error(`There is no workspace “${typed}”. Choose one of the list.`)
  return {
    name: textIn(form, 'name'),
    kind: 'infrastructure' as const,
    targetWorkspaceId: target.id,
  }
}
