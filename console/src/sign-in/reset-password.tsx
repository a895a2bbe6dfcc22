import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { ApiError, call } from '../api/call.ts'
import { DoorFrame } from './door-frame.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { NewPassword } from './new-password.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { useHash } from '../parts/use-hash.ts'

/** The token is in the fragment of the URL: a browser sends it to no server and in no Referer. */
export function ResetPasswordPage() {
  const hash = useHash()
  const [typed, setTyped] = useState('')
  const token = hash || typed
  const navigate = useNavigate()
  const reset = useMutation({
    mutationFn: (password: string) => call('resetPassword', { body: { token, password } }),
    onSuccess: async () => navigate({ to: '/login', search: { reset: true } }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    reset.mutate(textIn(new FormData(event.currentTarget), 'password'))
  }
  const spent = reset.error instanceof ApiError && reset.error.code === 'reset_invalid'
  return (
    <DoorFrame title="Choose a new password">
      <form onSubmit={submit} className="stack">
        {hash === '' && (
          <Field
            label="Token of your mail"
            name="token"
            value={typed}
            onChange={(event) => setTyped(event.target.value.trim())}
            autoComplete="off"
            required
            hint="This link has no token. Open the complete link from your mail, or copy the token from it."
          />
        )}
        <NewPassword label="New password" />
        <ErrorNote error={reset.error} />
        {spent ? (
          <Link to="/password/forgot" className="button primary">
            Ask for a new link
          </Link>
        ) : (
          <Button type="submit" tone="primary" busy={reset.isPending}>
            Change the password
          </Button>
        )}
      </form>
      <p className="dim">The change ends all your sessions, on every device.</p>
      <p className="door-links">
        <Link to="/login">Back to sign-in</Link>
      </p>
    </DoorFrame>
  )
}
