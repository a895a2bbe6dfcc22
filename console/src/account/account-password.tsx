import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { NewPassword } from '../sign-in/new-password.tsx'
import { ErrorNote } from '../parts/notes.tsx'

export function AccountPassword() {
  const { label } = useMe()
  const queryClient = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const change = useMutation({
    mutationFn: (data: FormData) =>
      call('changePassword', {
        body: { current: textIn(data, 'current'), password: textIn(data, 'password') },
      }),
    onSuccess: async () => {
      form.current?.reset()
      await queryClient.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    change.mutate(new FormData(event.currentTarget))
  }
  return (
    <section className="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <form ref={form} onSubmit={submit} className="stack">
        {/* A password manager reads the account of the password from this field. */}
        <input type="text" hidden autoComplete="username" value={label} readOnly />
        <Field
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
        />
        <NewPassword label="New password" />
        <ErrorNote error={change.error} />
        <div className="bar">
          <span className="dim" role="status">
            {change.isSuccess ? 'Changed. Your other sessions are ended.' : ''}
          </span>
          <Button type="submit" tone="primary" busy={change.isPending}>
            Change the password
          </Button>
        </div>
      </form>
    </section>
  )
}
