import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call, type Body } from '../api/call.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button, Check, Field, Select, textIn } from '../parts/forms.tsx'
import { describedIn, descriptionLength, LabelsField } from '../parts/labels-field.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { Danger } from './workspace-danger.tsx'

/** The fields of the form as text, to detect a change by another person. */
const shownOf = (workspace: Workspace) =>
  JSON.stringify([
    workspace.name,
    workspace.path,
    workspace.description,
    workspace.labels,
    workspace.criticality,
    workspace.costLimitMonthly,
    workspace.unpriced,
    workspace.confirm,
    workspace.autoApply,
  ])

/**
 * The form edits the workspace as it was when the form was opened. If another person changes it
 * meanwhile, an untouched form shows the new values and a touched form shows a notice. A save sends
 * only the fields that were changed here, so it never reverts the other person's change (lost update).
 */
export function Settings({ workspace }: { workspace: Workspace }) {
  const { may } = useMe()
  const [was, setWas] = useState(workspace)
  const [touched, setTouched] = useState(false)
  const [saved, setSaved] = useState(false)
  const shownNow = shownOf(workspace)
  const differs = shownOf(was) !== shownNow
  if (differs && !touched) setWas(workspace)
  const show = (isSaved: boolean) => {
    setWas(workspace)
    setTouched(false)
    setSaved(isSaved)
  }
  return (
    <div className="settings">
      {differs && touched && (
        <div className="note warn" role="status">
          <p>
            Somebody changed these settings meanwhile. Saving keeps their values in the fields that
            you did not change.{' '}
            <button type="button" className="link" onClick={() => show(false)}>
              Show theirs
            </button>
          </p>
        </div>
      )}
      <SettingsForm
        key={shownOf(was)}
        was={was}
        saved={saved && !touched}
        onTouch={() => setTouched(true)}
        onSaved={() => show(true)}
      />
      {may('mutate_infra') && <Danger workspace={workspace} />}
    </div>
  )
}

type FormProps = { was: Workspace; saved: boolean; onTouch: () => void; onSaved: () => void }

/** The guards of a run have their own fieldset, because changing them requires a higher role than starting a run. */
function SettingsForm({ was: workspace, saved, onTouch, onSaved }: FormProps) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const { id } = workspace
  const guardian = may('manage_cloud_accounts')
  const editor = may('mutate_infra')
  const save = useMutation({
    mutationFn: (body: Body<'updateWorkspace'>) =>
      call('updateWorkspace', { params: { id }, body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces'] })
      onSaved()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(changesIn(new FormData(event.currentTarget), workspace, guardian))
  }
  const locked = !guardian && workspace.criticality === 'production'
  return (
    <form onSubmit={submit} onChange={onTouch}>
      <fieldset disabled={!editor}>
        <legend>Workspace</legend>
        <Field
          label="Name"
          name="name"
          defaultValue={workspace.name}
          required
          maxLength={63}
          pattern="[a-z0-9][a-z0-9\-]*"
          title="Lower-case letters, digits and hyphens."
        />
        <Field
          label="Path"
          name="path"
          defaultValue={workspace.path}
          hint="The folder of the files that is planned."
        />
        <Field
          label="Description"
          name="description"
          defaultValue={workspace.description}
          maxLength={descriptionLength}
          autoComplete="off"
        />
        <LabelsField labels={workspace.labels} />
      </fieldset>
      <fieldset disabled={!editor}>
        <legend>Guards of every run</legend>
        <p className="dim">
          A change makes you an author of the next run and voids a waiting approval. It requires the
          role SRE · Cloud Admin or higher{guardian ? '.' : ', which you do not have.'}
        </p>
        <Select
          label="Criticality"
          name="criticality"
          defaultValue={workspace.criticality}
          disabled={locked}
          hint="Production waits for a second person. Anybody who may change the workspace may make it production."
        >
          <option value="standard">standard</option>
          <option value="production">production</option>
        </Select>
        <Select
          label="Confirmation of plans"
          name="confirm"
          defaultValue={workspace.confirm}
          hint="Of a standard workspace. Anybody who may start runs may confirm, and may ask for more confirmations."
        >
          {confirmOptions
            .filter(([mode]) => guardian || !isWeaker(mode, workspace.confirm))
            .map(([mode, words]) => (
              <option key={mode} value={mode}>
                {words}
              </option>
            ))}
        </Select>
        <Field
          label={`Monthly cost limit (${workspace.currency})`}
          name="costLimitMonthly"
          type="number"
          min="0"
          step="any"
          disabled={!guardian}
          defaultValue={workspace.costLimitMonthly ?? ''}
          hint="Empty is no limit. A plan that would cost more is denied."
        />
        <Select
          label="Resources without a price"
          name="unpriced"
          defaultValue={workspace.unpriced}
          disabled={!guardian}
        >
          <option value="deny">deny the run, where a limit is set</option>
          <option value="allow">allow, with a warning</option>
        </Select>
        <Check
          label="A push starts a run that applies, instead of one that only plans"
          name="autoApply"
          disabled={!guardian}
          defaultChecked={workspace.autoApply}
        />
      </fieldset>
      <ErrorNote error={save.error} />
      {editor && (
        <div className="bar">
          <span className="dim" role="status">
            {saved && 'Saved.'}
          </span>
          <Button type="submit" tone="primary" busy={save.isPending}>
            Save settings
          </Button>
        </div>
      )}
    </form>
  )
}

type ConfirmMode = Workspace['confirm']
const confirmOptions: ReadonlyArray<[ConfirmMode, string]> = [
  ['none', 'none: a run that applies does so without a question'],
  ['destroys', 'plans that destroy something'],
  ['always', 'every plan'],
]
const modes = confirmOptions.map(([mode]) => mode)
const isWeaker = (mode: ConfirmMode, now: ConfirmMode) => modes.indexOf(mode) < modes.indexOf(now)

/** Sends only the changed fields, so that a save does not revert a change by another person. */
function changesIn(form: FormData, was: Workspace, guardian: boolean): Body<'updateWorkspace'> {
  const name = textIn(form, 'name')
  const path = textIn(form, 'path')
  const criticality = textIn(form, 'criticality')
  const described = { labels: textIn(form, 'labels'), description: textIn(form, 'description') }
  const body: Body<'updateWorkspace'> = describedIn(described, was)
  if (name !== was.name) body.name = name
  if (path !== was.path) body.path = path
  if (
    (criticality === 'standard' || criticality === 'production') &&
    criticality !== was.criticality
  )
    body.criticality = criticality
  const confirm = modes.find((mode) => mode === textIn(form, 'confirm'))
  if (confirm && confirm !== was.confirm) body.confirm = confirm
  if (!guardian) return body
  const limitText = textIn(form, 'costLimitMonthly')
  const limit = limitText === '' ? null : Number(limitText)
  if (limit !== was.costLimitMonthly) body.costLimitMonthly = limit
  const unpriced = textIn(form, 'unpriced') === 'allow' ? 'allow' : 'deny'
  if (unpriced !== was.unpriced) body.unpriced = unpriced
  const autoApply = form.get('autoApply') !== null
  if (autoApply !== was.autoApply) body.autoApply = autoApply
  return body
}
