import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { ApiError, call } from '../api/call.ts'
import { meQuery } from '../api/queries.ts'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { DoorFrame } from '../parts/door-frame.tsx'

const route = getRouteApi('/login')

/** Sign-in, and the pages one lands on when a session ended, was signed out of, or could not begin. */
export function LoginPage() {
  const { next, ended, signedout, sso } = route.useSearch()
  const [needsOrganization, setNeedsOrganization] = useState(false)
  const enter = useEnter(next)
  const logIn = useMutation({
    mutationFn: (form: FormData) => {
      const org = textIn(form, 'org').trim()
      return call('logIn', {
        body: {
          email: textIn(form, 'email').trim(),
          password: textIn(form, 'password'),
          ...(org && { org }),
        },
      })
    },
    onSuccess: enter,
    onError: (error) => {
      if (error instanceof ApiError && error.details.some(({ path }) => path === 'org'))
        setNeedsOrganization(true)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    logIn.mutate(new FormData(event.currentTarget))
  }
  return (
    <DoorFrame title="Sign in">
      {signedout === true && <p className="note quiet">You are signed out.</p>}
      {signedout && signedout !== true && (
        <p className="note bad" role="alert">
          You are signed out here.{' '}
          {signedout === 'partial'
            ? 'Your identity provider could not sign you out everywhere: other applications may still be open.'
            : 'Your identity provider did not sign you out: you may still be signed in there.'}{' '}
          Close the browser if others use this machine.
        </p>
      )}
      {ended && (
        <p className="note quiet">Your session is over. Sign in to go on where you were.</p>
      )}
      {sso && (
        <p className="note bad" role="alert">
          Signing in through your identity provider did not succeed. Try again, or sign in with your
          password.
        </p>
      )}
      <form onSubmit={submit} className="stack">
        <Field label="Email" name="email" type="email" autoComplete="username" required />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        {needsOrganization && (
          <Field label="Organization" name="org" required hint="The short name in its address." />
        )}
        <ErrorNote error={logIn.error} />
        <Button type="submit" tone="primary" busy={logIn.isPending}>
          Sign in
        </Button>
      </form>
    </DoorFrame>
  )
}

/** Goes where one wanted to be, as the person who now is signed in. */
export function useEnter(next: string | undefined) {
  const router = useRouter()
  const queryClient = useQueryClient()
  return async () => {
    queryClient.clear()
    await queryClient.fetchQuery(meQuery)
    // Only a path of this very site: `next` is in the address, which anybody can write.
    const safe = next && /^\/(?![/\\])/.test(next) ? next : '/'
    router.history.push(safe)
  }
}
