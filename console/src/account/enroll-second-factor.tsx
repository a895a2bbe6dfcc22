import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { call } from '../api/call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { QrCode } from '../parts/qr-code.tsx'

/** Sets up TOTP in three steps: scan the secret, confirm a code, save the recovery codes. */
export function EnrollSecondFactor({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  // The secret must not change while the dialog is open: the app would compute wrong codes.
  const enrollment = useQuery({
    queryKey: ['enrollment'],
    queryFn: () => call('enrollSecondFactor', {}),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const activate = useMutation({
    mutationFn: (code: string) => call('activateSecondFactor', { body: { code } }),
  })
  const codes = activate.data?.recoveryCodes
  const done = () => {
    if (codes) void queryClient.invalidateQueries({ queryKey: ['me'] })
    onClose()
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    activate.mutate(textIn(new FormData(event.currentTarget), 'code').trim())
  }
  return (
    <Dialog
      title={codes ? 'Your recovery codes' : 'Set up a second factor'}
      // The recovery codes are shown only once, so Escape must not close the dialog.
      onClose={codes ? () => undefined : done}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onDone={done} />
      ) : (
        <form onSubmit={submit} className="stack">
          <p>1. Scan this with your authenticator app.</p>
          {enrollment.isPending && <Loading what="the code" />}
          <ErrorNote error={enrollment.error} />
          {enrollment.data && (
            <>
              <QrCode svg={enrollment.data.qrSvg} label="QR code for your authenticator app" />
              <p className="dim">
                No camera? Type this into the app:{' '}
                <code className="digest">{inGroups(enrollment.data.secret)}</code>
              </p>
            </>
          )}
          <Field
            label="2. Type the six digits that it shows"
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            maxLength={12}
          />
          <ErrorNote error={activate.error} />
          <div className="dialog-actions">
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              tone="primary"
              disabled={!enrollment.data}
              busy={activate.isPending}
            >
              Activate
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

const inGroups = (secret: string) => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = codes.join('\n')
  return (
    <div className="stack">
      <p>
        The second factor is active. If you lose your phone, each of these codes signs you in once.
        They cannot be shown again.
      </p>
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <Button onClick={() => void navigator.clipboard?.writeText(text)}>Copy all</Button>
        <Button tone="primary" onClick={onDone}>
          I have kept them
        </Button>
      </div>
    </div>
  )
}
