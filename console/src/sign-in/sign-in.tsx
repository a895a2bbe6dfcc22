import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent, type ReactNode } from 'react'
import { ApiError, call } from '../api/call.ts'
import { DoorFrame } from './door-frame.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { SecondStep } from './second-step.tsx'

type Props = {
  /** Fills in the email address. */
  email?: string
  notice: ReactNode
  onDone: () => Promise<void>
  /** Opens single sign-on. Without it, the button is not shown. */
  onSso?: () => void
  links: ReactNode
}

/** Signs in with a password, and with a second factor if the account has one. */
export function SignIn({ email, notice, onDone, onSso, links }: Props) {
  const [needsOrganization, setNeedsOrganization] = useState(false)
  const [mfaToken, setMfaToken] = useState<string>()
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
      else await onDone()
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
        onDone={onDone}
        onBack={() => {
          logIn.reset()
          setMfaToken(undefined)
        }}
      />
    )
  return (
    <DoorFrame title="Sign in">
      {notice}
      <form onSubmit={submit} className="stack">
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={email}
          required
        />
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
        {onSso && <Button onClick={onSso}>Use single sign-on</Button>}
      </form>
      <p className="door-links">{links}</p>
    </DoorFrame>
  )
}
