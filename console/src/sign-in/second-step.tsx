import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, type FormEvent } from 'react'
import { ApiError, call } from '../api/call.ts'
import { DoorFrame } from './door-frame.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

type Props = { mfaToken: string; onDone: () => Promise<void>; onBack: () => void }

/** The second step of a sign-in: a TOTP code or a recovery code. */
export function SecondStep({ mfaToken, onDone, onBack }: Props) {
  const verify = useMutation({
    mutationFn: (code: string) => call('verifySecondFactor', { body: { mfaToken, code } }),
    onSuccess: onDone,
  })
  const form = useRef<HTMLFormElement>(null)
  // The focus is lost with the previous form, so it is set to the code, which a screen reader announces.
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    verify.mutate(textIn(new FormData(event.currentTarget), 'code').trim())
  }
  const over = verify.error instanceof ApiError && verify.error.code === 'mfa_token_invalid'
  return (
    <DoorFrame title="Second step">
      <form ref={form} onSubmit={submit} className="stack">
        <Field
          label="Code"
          name="code"
          autoComplete="one-time-code"
          inputMode="text"
          autoCapitalize="off"
          spellCheck={false}
          required
          maxLength={50}
          hint="The six digits of your authenticator app. Without the app, use a recovery code. Each one works once."
        />
        <ErrorNote error={verify.error} />
        {!over && (
          <Button type="submit" tone="primary" busy={verify.isPending}>
            Sign in
          </Button>
        )}
        <Button onClick={onBack}>{over ? 'Begin again' : 'Back'}</Button>
      </form>
    </DoorFrame>
  )
}
