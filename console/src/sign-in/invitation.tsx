import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { call } from '../api/call.ts'
import { DoorFrame } from './door-frame.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { NewPassword } from './new-password.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { useEnter } from './use-enter.ts'
import { useHash } from '../parts/use-hash.ts'

/** The token is in the fragment of the URL: a browser sends it to no server and in no Referer. */
export function InvitationPage() {
  const token = useHash()
  const enter = useEnter(undefined)
  const accept = useMutation({
    mutationFn: (form: FormData) => {
      const name = textIn(form, 'name').trim()
      const password = textIn(form, 'password')
      return call('acceptInvitation', { body: { token, password, ...(name && { name }) } })
    },
    onSuccess: enter,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    accept.mutate(new FormData(event.currentTarget))
  }
  if (!token)
    return (
      <DoorFrame title="Accept your invitation">
        <p>
          This link has no invitation token. Open the complete link from your mail, or ask the
          person who invited you to send it again.
        </p>
        <p className="door-links">
          <Link to="/login">Sign in instead</Link>
        </p>
      </DoorFrame>
    )
  return (
    <DoorFrame title="Accept your invitation">
      <form onSubmit={submit} className="stack">
        <Field
          label="Your name"
          name="name"
          autoComplete="name"
          hint="Leave it empty to keep the name in your invitation."
        />
        <NewPassword label="Choose a password" />
        <ErrorNote error={accept.error} />
        <Button type="submit" tone="primary" busy={accept.isPending}>
          Accept and sign in
        </Button>
      </form>
    </DoorFrame>
  )
}
