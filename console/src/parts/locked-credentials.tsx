import { useMe } from '../app/session.ts'

/** Why nothing here can be changed, where somebody who has a password came by single sign-on. */
export function LockedCredentials() {
  const { auth } = useMe()
  if (auth.mayChangeCredentials) return null
  return (
    <p className="note quiet">
      You signed in by single sign-on. Sign in with your password to change it, your second factor,
      your API tokens or where you are signed in.
    </p>
  )
}
