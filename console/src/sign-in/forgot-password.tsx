import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { call } from '../api/call.ts'
import { DoorFrame } from './door-frame.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** Requests a reset link. The answer is the same for every address, so an attacker cannot enumerate accounts. */
export function ForgotPasswordPage() {
  const ask = useMutation({
    mutationFn: (email: string) => call('forgotPassword', { body: { email } }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    ask.mutate(textIn(new FormData(event.currentTarget), 'email').trim())
  }
  if (ask.isSuccess)
    return (
      <DoorFrame title="Check your mailbox">
        <p role="status">
          If {ask.variables} is the address of an account, we send a mail with a link to it. The
          link works once and expires soon.
        </p>
        <p className="dim">
          No mail? Check the spam folder, or ask a person with the role Org Admin whether your
          account has this address.
        </p>
        <p className="door-links">
          <Link to="/login">Back to sign-in</Link>
        </p>
      </DoorFrame>
    )
  return (
    <DoorFrame title="Forgot your password?">
      <p>We send a link to your address. With it you choose a new password.</p>
      <form onSubmit={submit} className="stack">
        <Field label="Email" name="email" type="email" autoComplete="username" required />
        <ErrorNote error={ask.error} />
        <Button type="submit" tone="primary" busy={ask.isPending}>
          Send the link
        </Button>
      </form>
      <p className="door-links">
        <Link to="/login">Back to sign-in</Link>
      </p>
    </DoorFrame>
  )
}
