import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { EnrollSecondFactor } from './enroll-second-factor.tsx'

/** Sets up and removes the second factor (TOTP). */
export function AccountSecondFactor() {
  const { user } = useMe()
  const [open, setOpen] = useState<'enroll' | 'remove'>()
  const close = () => setOpen(undefined)
  return (
    <section className="card" aria-labelledby="factor-title">
      <h2 id="factor-title">
        Second factor{' '}
        <span className={`badge ${user.mfaEnabled ? 'good' : 'quiet'}`}>
          {user.mfaEnabled ? '✓ active' : 'not set up'}
        </span>
      </h2>
      <p className="dim">
        {user.mfaEnabled
          ? 'Signing in also requires a code of your authenticator app. Keep your recovery codes where you can find them without your phone.'
          : 'With an authenticator app, an attacker who learns your password cannot sign in as you.'}
      </p>
      <div>
        {user.mfaEnabled ? (
          <Button onClick={() => setOpen('remove')}>Remove the second factor…</Button>
        ) : (
          <Button tone="primary" onClick={() => setOpen('enroll')}>
            Set up a second factor…
          </Button>
        )}
      </div>
      {open === 'enroll' && <EnrollSecondFactor onClose={close} />}
      {open === 'remove' && <RemoveSecondFactor onClose={close} />}
    </section>
  )
}

function RemoveSecondFactor({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: (code: string) => call('removeSecondFactor', { body: { code } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['me'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title="Remove the second factor?"
      description={
        <p>You can then sign in with your password alone. Your recovery codes no longer work.</p>
      }
      act="Remove it"
      tone="danger"
      doing={remove}
      onSubmit={(form) => remove.mutate(textIn(form, 'code').trim())}
      onClose={onClose}
    >
      <Field
        label="Code"
        name="code"
        autoComplete="one-time-code"
        required
        maxLength={50}
        hint="The six digits of your app, or a recovery code."
      />
    </FormDialog>
  )
}
