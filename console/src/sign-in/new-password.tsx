import { useState } from 'react'
import { Check, Field } from '../parts/forms.tsx'

/** A new password. The hint states the minimum length. It is typed only once, so it can be made visible. */
export function NewPassword({ label }: { label: string }) {
  const [shown, setShown] = useState(false)
  return (
    <>
      <Field
        label={label}
        name="password"
        type={shown ? 'text' : 'password'}
        autoComplete="new-password"
        minLength={12}
        required
        hint="At least 12 characters. A passphrase of several unrelated words is best."
      />
      <Check label="Show it" checked={shown} onChange={(event) => setShown(event.target.checked)} />
    </>
  )
}
