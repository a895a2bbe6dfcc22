import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import type { Pipeline } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button, Field } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { ReleaseFields, TriggerFields } from './application-fields.tsx'
import { changedIn } from './application-form.ts'
import { ApplicationSourceFields } from './application-source-fields.tsx'
import { WorkspacePicker } from './workspace-picker.tsx'

/** The form edits the pipeline as it was when it was opened, or saved last. */
export function ApplicationSettings({ pipeline }: { pipeline: Pipeline }) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const [was, setWas] = useState(pipeline)
  const [touched, setTouched] = useState(false)
  const editor = may('mutate_infra')
  const save = useMutation({
    mutationFn: async (form: FormData): Promise<Pipeline> => {
      const body = changedIn(form, was)
      if (Object.keys(body).length === 0) return was
      return (await call('updatePipeline', { params: { id: was.id }, body })).pipeline
    },
    onSuccess: async (now) => {
      setTouched(false)
      setWas(now)
      await queryClient.invalidateQueries({ queryKey: ['pipelines'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget))
  }
  return (
    <div className="settings">
      <form onSubmit={submit} onChange={() => setTouched(true)} className="stack">
        <PipelineFields was={was} disabled={!editor} />
        <TriggerFields was={was} disabled={!editor} />
        <ReleaseFields was={was} disabled={!editor} />
        <ErrorNote error={save.error} />
        {editor && (
          <div className="bar">
            <Button type="submit" tone="primary" busy={save.isPending}>
              Save settings
            </Button>
            <span className="dim" role="status">
              {save.isSuccess && !touched && 'Saved.'}
            </span>
          </div>
        )}
      </form>
    </div>
  )
}

const PipelineFields = ({ was, disabled }: { was: Pipeline; disabled: boolean }) => (
  <fieldset className="stack" disabled={disabled}>
    <legend>Pipeline</legend>
    <p className="dim">
      A change makes you an author of the next run and voids a waiting approval. Source and target
      change only while no run is live.
    </p>
    <Field label="Name" name="name" defaultValue={was.name} required maxLength={200} />
    <ApplicationSourceFields was={was} />
    <WorkspacePicker
      was={
        was.targetWorkspaceId === null
          ? undefined
          : { id: was.targetWorkspaceId, name: was.targetWorkspaceName ?? '' }
      }
    />
    <Field
      label="Strategy (optional)"
      name="strategy"
      defaultValue={was.strategy ?? ''}
      maxLength={100}
      autoComplete="off"
      placeholder="that of the manifest"
      hint="A name of the manifest, or rolling, canary, blue-green or all-at-once."
    />
  </fieldset>
)
