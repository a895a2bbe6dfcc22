import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { call, type Answer } from '../api/call.ts'
import { DoorFrame } from './door-frame.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { NewPassword } from './new-password.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { Time } from '../parts/time.tsx'
import { useEnter } from './use-enter.ts'
import { useHash } from '../parts/use-hash.ts'

/** The token is in the fragment of the URL: a browser sends it to no server and in no Referer. */
export function InvitationPage() {
  const token = useHash()
  const enter = useEnter(undefined)
  const looked = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call('lookAtInvitation', { body: { token }, signal }),
    enabled: token !== '',
    retry: false,
    staleTime: Infinity,
  })
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
      {looked.data && <What invitation={looked.data.invitation} />}
      <ErrorNote error={looked.error} />
      <form onSubmit={submit} className="stack">
        <Field
          label="Your name"
          name="name"
          autoComplete="name"
          placeholder={looked.data?.invitation.name}
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

type Invitation = Answer<'lookAtInvitation'>['invitation']

/** To what, as what and by whom: a person must see that before they choose a password. */
function What({ invitation }: { invitation: Invitation }) {
  const { organizationName, inviter, role, email, expiresAt } = invitation
  return (
    <dl className="pairs invitation">
      <dt>Organization</dt>
      <dd>
        <bdi>{organizationName}</bdi>
      </dd>
      {inviter && (
        <>
          <dt>Invited by</dt>
          <dd>
            <bdi>{inviter}</bdi>
          </dd>
        </>
      )}
      <dt>Role</dt>
      <dd>{role}</dd>
      {email && (
        <>
          <dt>Address</dt>
          <dd>
            <bdi>{email}</bdi>
          </dd>
        </>
      )}
      <dt>Open until</dt>
      <dd>
        <Time at={expiresAt} />
      </dd>
    </dl>
  )
}
