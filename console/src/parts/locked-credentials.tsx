import { useMe } from '../app/session.ts'

/** Explains why a person who signed in by single sign-on cannot change their credentials. */
export function LockedCredentials() {
  const { auth } = useMe()
  if (auth.mayChangeCredentials) return null
  return (
    <p className="note quiet">
      You signed in by single sign-on. Sign in with your password to change it, your second factor,
      your API tokens or your sessions.
    </p>
  )
}
