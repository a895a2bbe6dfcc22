import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Check, Field, Select, textIn } from '../parts/forms.tsx'
import { accountChange, type TypedAccount } from './account-change.ts'
import { BillingFields } from './billing-fields.tsx'
import { billingIn, deletesSecretField } from './billing-in.ts'
import { usesOf, type Provider, type Use } from './cloud-words.ts'
import { CredentialFields, credentialsIn } from './credential-fields.tsx'
import { PlaceFields, placeIn } from './place-fields.tsx'
import type { CloudAccount } from './queries.ts'
import { RunIdentityFields, runsIn } from './run-identities.tsx'

type Props = { account: CloudAccount; onClose: () => void }

/** Changes the settings of an account, and replaces its credentials. */
export function ChangeAccount({ account, onClose }: Props) {
  const queryClient = useQueryClient()
  // The fields show the account as it was when they were opened; the page reads it again every few seconds.
  const [was] = useState(account)
  const [use, setUse] = useState<Use>()
  const { provider } = was
  const signsIn = use ?? was.credentialsKind
  const change = useMutation({
    mutationFn: async (form: FormData): Promise<unknown> => {
      const typed = typedIn(form, provider)
      const credentials = use && credentialsIn(form, provider, use)
      const body = accountChange({ ...typed, ...(credentials && { credentials }) }, was, account)
      if (Object.keys(body).length === 0) return undefined
      return call('changeCloudAccount', { params: { id: was.id }, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['clouds'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Change ${was.name}`}
      act="Save"
      doing={change}
      onSubmit={(form) => change.mutate(form)}
      onClose={onClose}
    >
      <Field label="Name" name="name" defaultValue={was.name} required maxLength={100} />
      <Field
        label="Minutes between syncs"
        name="syncIntervalMinutes"
        type="number"
        min={5}
        max={10_080}
        required
        defaultValue={was.syncIntervalMinutes}
      />
      <RunIdentityFields provider={provider} runs={was.runs} use={signsIn} />
      <BillingFields
        {...{ provider }}
        billing={was.billing}
        intervalHours={was.ingestIntervalHours}
      />
      <details className="more-fields">
        <summary>Regions and endpoint</summary>
        <PlaceFields regions={was.regions} endpoint={was.endpoint} />
      </details>
      <Check
        label="Replace the credentials"
        checked={use !== undefined}
        onChange={({ target }) => setUse(target.checked ? was.credentialsKind : undefined)}
      />
      {use && <OtherCredentials provider={provider} use={use} onChange={setUse} />}
    </FormDialog>
  )
}

type CredentialsProps = { provider: Provider; use: Use; onChange: (use: Use) => void }

/** Of the same kind as before, or of another. */
const OtherCredentials = ({ provider, use, onChange }: CredentialsProps) => (
  <>
    <Select
      label="How cloud-control signs in"
      value={use}
      onChange={({ target: { value } }) =>
        onChange(usesOf[provider].find((one) => one.use === value)?.use ?? use)
      }
      hint="What to set up in the cloud for each is shown on the page “Connect a cloud account”."
    >
      {usesOf[provider].map((one) => (
        <option key={one.use} value={one.use}>
          {one.words}
        </option>
      ))}
    </Select>
    <CredentialFields key={use} provider={provider} use={use} />
  </>
)

function typedIn(form: FormData, provider: Provider): TypedAccount {
  return {
    name: textIn(form, 'name').trim(),
    syncIntervalMinutes: Number(textIn(form, 'syncIntervalMinutes')),
    ...(form.has('ingestIntervalHours') && {
      ingestIntervalHours: Number(textIn(form, 'ingestIntervalHours')),
    }),
    ...placeIn(form),
    billing: billingIn(form, provider),
    deletesSecret: form.has(deletesSecretField),
    runs: runsIn(form, provider),
  }
}
