import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Check, Field, textIn } from '../parts/forms.tsx'
import { CredentialFields, credentialsIn } from './credential-fields.tsx'
import type { CloudAccount } from './queries.ts'
import { RunIdentityFields, runsIn } from './run-identities.tsx'

/** Renames an account, changes how often it is synced and what runs are lent, and replaces its credentials. */
export function ChangeAccount({
  account,
  onClose,
}: {
  account: CloudAccount
  onClose: () => void
}) {
  const queryClient = useQueryClient()
  const [replaces, setReplaces] = useState(false)
  const use = account.credentialsKind
  const change = useMutation({
    mutationFn: (form: FormData) =>
      call('changeCloudAccount', {
        params: { id: account.id },
        body: {
          name: textIn(form, 'name').trim(),
          syncIntervalMinutes: Number(textIn(form, 'syncIntervalMinutes')),
          runs: runsIn(form, account.provider),
          ...(replaces && { credentials: credentialsIn(form, account.provider, use) }),
        },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['clouds'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Change ${account.name}`}
      act="Save"
      doing={change}
      onSubmit={(form) => change.mutate(form)}
      onClose={onClose}
    >
      <Field label="Name" name="name" defaultValue={account.name} required maxLength={100} />
      <Field
        label="Minutes between syncs"
        name="syncIntervalMinutes"
        type="number"
        min={5}
        max={10_080}
        required
        defaultValue={account.syncIntervalMinutes}
      />
      <RunIdentityFields provider={account.provider} runs={account.runs} use={use} />
      <Check
        label="Replace the credentials"
        checked={replaces}
        onChange={({ target }) => setReplaces(target.checked)}
      />
      {replaces && <CredentialFields provider={account.provider} use={use} />}
    </FormDialog>
  )
}
