import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { DoorFrame } from './door-frame.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { isGone } from '../parts/gone.tsx'
import { ErrorNote } from '../parts/notes.tsx'

type Props = { next: string | undefined; onBack: () => void }

const notSetUp = new Error('Single sign-on is not set up for this. Check the address or the name.')

/** Redirects to the identity provider of an organization, found by email address or by its short name. */
export function SsoSignIn({ next, onBack }: Props) {
  const begin = useMutation({
    mutationFn: (who: string) =>
      call('beginSamlLogin', {
        body: {
          ...(who.includes('@') ? { email: who } : { slug: who }),
          ...(next && { returnTo: next }),
        },
      }),
    onSuccess: ({ redirectUrl }) => globalThis.location.assign(redirectUrl),
  })
  const form = useRef<HTMLFormElement>(null)
  // The focus is lost with the previous form, so it is set here.
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    begin.mutate(textIn(new FormData(event.currentTarget), 'who').trim())
  }
  return (
    <DoorFrame title="Single sign-on">
      <form ref={form} onSubmit={submit} className="stack">
        <Field
          label="Email or organization"
          name="who"
          autoComplete="username"
          autoCapitalize="off"
          spellCheck={false}
          required
          maxLength={320}
          hint="Your address at work, or the short name of your organization."
        />
        <ErrorNote error={isGone(begin.error) ? notSetUp : begin.error} />
        {/* Stays disabled until the browser has followed the redirect. */}
        <Button type="submit" tone="primary" busy={begin.isPending || begin.isSuccess}>
          Go to the identity provider
        </Button>
        <Button onClick={onBack}>Back</Button>
      </form>
    </DoorFrame>
  )
}
