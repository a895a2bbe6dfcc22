import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { Button, Check, Field, Select, TextField } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { SettingsChanged } from '../parts/settings-changed.tsx'
import { useStoredForm } from '../parts/use-stored-form.ts'
import { ForAdministrators } from './for-administrators.tsx'
import { settingsQuery, type OrganizationSettings } from './queries.ts'
import { settingsChange } from './settings-change.ts'
import { aliasLines } from './tag-alias-lines.ts'
import { TransferOwnership } from './transfer-ownership.tsx'

/** What holds for the whole organization. */
export function OrganizationSettingsPage() {
  const { may } = useMe()
  const query = useQuery({ ...settingsQuery, enabled: may('manage_users_sso') })
  if (!may('manage_users_sso')) return <ForAdministrators what="This page" />
  return (
    <div className="settings">
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="the settings" />}
      {query.data && <SettingsForm stored={query.data} />}
      {may('manage_billing_transfer') && <TransferOwnership />}
    </div>
  )
}

function SettingsForm({ stored }: { stored: OrganizationSettings }) {
  const fields = useStoredForm(stored, textOf)
  const { was } = fields
  const queryClient = useQueryClient()
  const save = useMutation({
    // Async, so that a line that cannot be read is an error of the form.
    mutationFn: async (form: FormData) => {
      const sent = settingsChange(form, was)
      if (Object.keys(sent).length === 0) return { sent, now: stored }
      const { ok: _ok, ...now } = await call('updateSettings', { body: sent })
      return { sent, now }
    },
    onSuccess: async ({ sent, now }) => {
      fields.onSaved(() => sent, now)
      await queryClient.invalidateQueries({ queryKey: ['organization'] })
      // The name is above every page, and the currency in every sum.
      await queryClient.invalidateQueries({ queryKey: ['me'] })
      await queryClient.invalidateQueries({ queryKey: ['cost'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    fields.onSend()
    save.mutate(new FormData(event.currentTarget))
  }
  return (
    <form onSubmit={submit} onChange={fields.onTouch} className="stack">
      {fields.overtaken && <SettingsChanged onShow={fields.showStored} />}
      <Fragment key={fields.turn}>
        <RunFields was={was} />
        <CostFields was={was} />
      </Fragment>
      <ErrorNote error={save.error} />
      <div className="bar">
        <Button type="submit" tone="primary" busy={save.isPending}>
          Save settings
        </Button>
        <span role="status">{fields.saved && 'Saved.'}</span>
      </div>
    </form>
  )
}

/** The values of the fields. The service has no order of keys, so the aliases get one. */
const textOf = (settings: OrganizationSettings) =>
  JSON.stringify([
    settings.name,
    settings.approvalExpiryHours,
    settings.planApproval,
    settings.artifactDays,
    settings.buildNetwork,
    settings.currency,
    settings.learnPrices,
    settings.anomalyMinimum,
    settings.tagKey,
    aliasLines(settings.tagAliases).split('\n').toSorted(),
  ])

type FieldsProps = { was: OrganizationSettings }

function RunFields({ was }: FieldsProps) {
  return (
    <>
      <Field label="Name" name="name" defaultValue={was.name} required maxLength={200} />
      <Field
        label="An approval is asked for at most (hours)"
        name="approvalExpiryHours"
        type="number"
        min="1"
        max="720"
        required
        defaultValue={was.approvalExpiryHours}
        hint="After that the waiting run ends as expired."
      />
      <Select
        label="Plans of production workspaces whose files only their author has seen"
        name="planApproval"
        defaultValue={was.planApproval}
        hint="A plan runs the code of its author with the workspace’s variables. Who lowers this guard becomes an author of what is planned next."
      >
        <option value="unseen">wait until a second person has seen the files</option>
        <option value="none">are made at once</option>
      </Select>
      <Field
        label="Artifacts of applications are kept for (days)"
        name="artifactDays"
        type="number"
        min="1"
        max="730"
        required
        defaultValue={was.artifactDays}
        hint="What runs on a host, was deployed last, or is one of the newest 20 of its pipeline is kept for longer."
      />
      <Select
        label="Builds of applications"
        name="buildNetwork"
        defaultValue={was.buildNetwork}
        hint="Whether the steps of a build may reach addresses of the internet."
      >
        <option value="public">may reach the internet</option>
        <option value="none">have no network</option>
      </Select>
    </>
  )
}

function CostFields({ was }: FieldsProps) {
  return (
    <>
      <Field
        label="Currency"
        name="currency"
        required
        pattern="[A-Z]{3}"
        maxLength={3}
        title="Three capital letters, such as EUR"
        defaultValue={was.currency}
        autoComplete="off"
        hint="Of cost, budgets and cost limits. The numbers of limits stay as they are, so they mean other amounts in another currency."
      />
      <Check
        label="Learn prices from bills, for the estimates of plans"
        name="learnPrices"
        defaultChecked={was.learnPrices}
      />
      <Field
        label="Smallest anomaly a day"
        name="anomalyMinimum"
        type="number"
        min="0"
        step="any"
        required
        defaultValue={was.anomalyMinimum}
        hint="In the organization’s currency. A smaller deviation is not reported."
      />
      <Field
        label="Tag that names the owner of cost (optional)"
        name="tagKey"
        defaultValue={was.tagKey ?? ''}
        maxLength={256}
        autoComplete="off"
        hint="Cost without this tag is listed as untagged."
      />
      <TextField
        label="Other keys that are read as one tag (optional)"
        name="tagAliases"
        rows={3}
        spellCheck={false}
        className="variable-value"
        defaultValue={aliasLines(was.tagAliases)}
        placeholder="team = Team, resourceTags/team"
        hint="One key a line, with the other keys of bills that mean the same. Bills that are loaded and have one of them are read again."
      />
    </>
  )
}
