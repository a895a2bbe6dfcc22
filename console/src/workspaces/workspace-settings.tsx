import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { CloudAccountField } from '../clouds/account-field.tsx'
import { Button, Check, Field, Select } from '../parts/forms.tsx'
import { descriptionLength, LabelsField } from '../parts/labels-field.tsx'
import { linesOf } from '../parts/labels.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { SettingsChanged } from '../parts/settings-changed.tsx'
import { useStoredForm } from '../parts/use-stored-form.ts'
import { confirmOptions, isWeaker, workspaceChange } from './workspace-change.ts'
import { Danger } from './workspace-danger.tsx'

/** The values of the fields. The service has no order of labels, so they get one. */
const textOf = (workspace: Workspace) =>
  JSON.stringify([
    workspace.name,
    workspace.path,
    workspace.description,
    linesOf(workspace.labels).split('\n').toSorted(),
    workspace.criticality,
    workspace.costLimitMonthly,
    workspace.unpriced,
    workspace.confirm,
    workspace.autoApply,
    workspace.cloudAccountId,
  ])

export function Settings({ workspace }: { workspace: Workspace }) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const fields = useStoredForm(workspace, textOf)
  const { was } = fields
  const editor = may('mutate_infra')
  const guardian = may('manage_cloud_accounts')
  const save = useMutation({
    mutationFn: async (form: FormData) => {
      const sent = workspaceChange(form, was, guardian)
      if (Object.keys(sent).length === 0) return { sent, now: workspace }
      const answer = await call('updateWorkspace', { params: { id: was.id }, body: sent })
      return { sent, now: answer.workspace }
    },
    onSuccess: async ({ sent, now }) => {
      fields.onSaved(() => sent, now)
      await queryClient.invalidateQueries({ queryKey: ['workspaces'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    fields.onSend()
    save.mutate(new FormData(event.currentTarget))
  }
  return (
    <div className="settings">
      {fields.overtaken && <SettingsChanged onShow={fields.showStored} />}
      <form onSubmit={submit} onChange={fields.onTouch}>
        <Fragment key={fields.turn}>
          <FoundFields {...{ was, guardian }} disabled={!editor} onTouch={fields.onTouch} />
          <GuardFields {...{ was, guardian }} disabled={!editor} />
        </Fragment>
        <ErrorNote error={save.error} />
        {editor && (
          <div className="bar">
            <span className="dim" role="status">
              {fields.saved && 'Saved.'}
            </span>
            <Button type="submit" tone="primary" busy={save.isPending}>
              Save settings
            </Button>
          </div>
        )}
      </form>
      {editor && <Danger workspace={workspace} />}
    </div>
  )
}

type FieldsProps = { was: Workspace; disabled: boolean; guardian: boolean }

type FoundProps = FieldsProps & { onTouch: () => void }

/** What it is called and found by, and where its files are. */
const FoundFields = ({ was, disabled, guardian, onTouch }: FoundProps) => (
  <fieldset disabled={disabled}>
    <legend>Workspace</legend>
    <Field
      label="Name"
      name="name"
      defaultValue={was.name}
      required
      maxLength={63}
      pattern="[a-z0-9][a-z0-9\-]*"
      title="Lower-case letters, digits and hyphens."
      {...(!guardian && isNameGuard(was) && { disabled: true, hint: guardedName })}
    />
    <Field
      label="Path"
      name="path"
      defaultValue={was.path}
      hint="The folder of the files that is planned."
    />
    <Field
      label="Description"
      name="description"
      defaultValue={was.description}
      maxLength={descriptionLength}
      autoComplete="off"
    />
    <LabelsField labels={was.labels} onTouch={onTouch} />
  </fieldset>
)

/** The cloud trusts the runs of a workspace by its name. */
const isNameGuard = ({ cloudAccountId }: Workspace) => cloudAccountId !== null
const guardedName =
  'Of a workspace with a cloud account, a change requires the role SRE · Cloud Admin or higher.'

/** They have their own fieldset, because changing them requires a higher role than starting a run. */
function GuardFields({ was, disabled, guardian }: FieldsProps) {
  const locked = !guardian && was.criticality === 'production'
  return (
    <fieldset disabled={disabled}>
      <legend>Guards of every run</legend>
      <p className="dim">
        A change makes you an author of the next run and voids a waiting approval. It requires the
        role SRE · Cloud Admin or higher{guardian ? '.' : ', which you do not have.'}
      </p>
      <Select
        label="Criticality"
        name="criticality"
        defaultValue={was.criticality}
        disabled={locked}
        hint="Production waits for a second person. Anybody who may change the workspace may make it production."
      >
        <option value="standard">standard</option>
        <option value="production">production</option>
      </Select>
      <ConfirmField was={was} guardian={guardian} />
      <Field
        label={`Monthly cost limit (${was.currency})`}
        name="costLimitMonthly"
        type="number"
        min="0"
        step="any"
        disabled={!guardian}
        defaultValue={was.costLimitMonthly ?? ''}
        hint="Empty is no limit. A plan that would cost more is denied."
      />
      <Select
        label="Resources without a price"
        name="unpriced"
        defaultValue={was.unpriced}
        disabled={!guardian}
      >
        <option value="deny">deny the run, where a limit is set</option>
        <option value="allow">allow, with a warning</option>
      </Select>
      <Check
        label="A push starts a run that applies, instead of one that only plans"
        name="autoApply"
        disabled={!guardian}
        defaultChecked={was.autoApply}
      />
      <CloudAccountField was={was.cloudAccountId} disabled={!guardian} />
    </fieldset>
  )
}

const ConfirmField = ({ was, guardian }: Omit<FieldsProps, 'disabled'>) => (
  <Select
    label="Confirmation of plans"
    name="confirm"
    defaultValue={was.confirm}
    hint="Of a standard workspace. Anybody who may start runs may confirm, and may ask for more confirmations."
  >
    {confirmOptions
      .filter(([mode]) => guardian || !isWeaker(mode, was.confirm))
      .map(([mode, words]) => (
        <option key={mode} value={mode}>
          {words}
        </option>
      ))}
  </Select>
)
