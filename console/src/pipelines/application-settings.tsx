import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import type { Pipeline } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button, Field } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { SettingsChanged } from '../parts/settings-changed.tsx'
import { useStoredForm } from '../parts/use-stored-form.ts'
import { ReleaseFields, TriggerFields } from './application-fields.tsx'
import { changedIn, sentOver } from './application-form.ts'
import { ApplicationSourceFields } from './application-source-fields.tsx'
import { WorkspacePicker } from './workspace-picker.tsx'

/** What starts the runs of an application, and what guards them. */
export function ApplicationSettings({ pipeline }: { pipeline: Pipeline }) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const fields = useStoredForm(pipeline, textOf)
  const { was } = fields
  const editor = may('mutate_infra')
  const save = useMutation({
    mutationFn: async (form: FormData) => {
      const sent = changedIn(form, was)
      if (Object.keys(sent).length === 0) return { sent, now: pipeline }
      const answer = await call('updatePipeline', { params: { id: was.id }, body: sent })
      return { sent, now: answer.pipeline }
    },
    onSuccess: async ({ sent, now }) => {
      fields.onSaved((before) => sentOver(before, sent), now)
      await queryClient.invalidateQueries({ queryKey: ['pipelines'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    fields.onSend()
    save.mutate(new FormData(event.currentTarget))
  }
  return (
    <div className="settings">
      <form onSubmit={submit} onChange={fields.onTouch} className="stack">
        {fields.overtaken && <SettingsChanged onShow={fields.showStored} />}
        <Fragment key={fields.turn}>
          <PipelineFields was={was} disabled={!editor} onTouch={fields.onTouch} />
          <TriggerFields was={was} disabled={!editor} />
          <ReleaseFields was={was} disabled={!editor} />
        </Fragment>
        <ErrorNote error={save.error} />
        {editor && (
          <div className="bar">
            <Button type="submit" tone="primary" busy={save.isPending}>
              Save settings
            </Button>
            <span className="dim" role="status">
              {fields.saved && 'Saved.'}
            </span>
          </div>
        )}
      </form>
    </div>
  )
}

/** The values of the fields. */
const textOf = (pipeline: Pipeline) =>
  JSON.stringify([
    pipeline.name,
    pipeline.appGitConnectionId,
    pipeline.appRepo,
    pipeline.appBranch,
    pipeline.appPath,
    pipeline.targetWorkspaceId,
    pipeline.strategy,
    pipeline.triggers,
    pipeline.rollbackApproval,
    pipeline.sbom,
    pipeline.agentWaitMinutes,
  ])

type FieldsProps = { was: Pipeline; disabled: boolean; onTouch: () => void }

const PipelineFields = ({ was, disabled, onTouch }: FieldsProps) => (
  <fieldset className="stack" disabled={disabled}>
    <legend>Pipeline</legend>
    <p className="dim">
      A change makes you an author of the next run and voids a waiting approval. Source and target
      change only while no run is live.
    </p>
    <Field label="Name" name="name" defaultValue={was.name} required maxLength={200} />
    <ApplicationSourceFields was={was} />
    <WorkspacePicker
      onTouch={onTouch}
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
