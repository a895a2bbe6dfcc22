import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { ApiError, call } from '../api/call.ts'
import { DoorFrame } from '../parts/door-frame.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { LoginNotice } from './login-notice.tsx'
import { SecondStep } from './second-step.tsx'
import { SsoSignIn } from './sso-sign-in.tsx'
import { useEnter } from './use-enter.ts'

const route = getRouteApi('/login')

/** Sign-in, and the pages one lands on when a session ended, was signed out of, or could not begin. */
export function LoginPage() {
  const search = route.useSearch()
  const [needsOrganization, setNeedsOrganization] = useState(false)
  const [mfaToken, setMfaToken] = useState<string>()
  const [sso, setSso] = useState(false)
  const enter = useEnter(search.next)
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
    onSuccess: async (answer) => {
      if ('mfaToken' in answer) setMfaToken(answer.mfaToken)
      else await enter()
    },
    onError: (error) => {
      if (error instanceof ApiError && error.details.some(({ path }) => path === 'org'))
        setNeedsOrganization(true)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    logIn.mutate(new FormData(event.currentTarget))
  }
  if (mfaToken)
    return (
      <SecondStep
        mfaToken={mfaToken}
        onDone={enter}
        onBack={() => {
          logIn.reset()
          setMfaToken(undefined)
        }}
      />
    )
  if (sso) return <SsoSignIn next={search.next} onBack={() => setSso(false)} />
  return (
    <DoorFrame title="Sign in">
      <LoginNotice search={search} />
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
        <Button onClick={() => setSso(true)}>Use single sign-on</Button>
      </form>
      <p className="door-links">
        <Link to="/password/forgot">Forgot your password?</Link>
      </p>
    </DoorFrame>
  )
}
