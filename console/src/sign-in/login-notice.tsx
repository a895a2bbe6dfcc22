import type { SignedOut } from '../app/searches.ts'

type Search = { signedout?: SignedOut; sso?: 'failed'; reset?: boolean }

/** Explains why the sign-in page is shown, and what to do next. */
export function LoginNotice({ search }: { search: Search }) {
  if (search.sso)
    return (
      <div className="note bad" role="alert">
        <p>
          <strong>Single sign-on did not succeed.</strong>
        </p>
        <p>
          Try it once more. If it fails again, ask a person with the role Org Admin to look at the
          single sign-on of your organization. If you have a password, sign in with it below.
        </p>
      </div>
    )
  if (search.signedout === 'partial')
    return (
      <div className="note warn" role="status">
        <p>
          <strong>You are signed out here, but not everywhere.</strong>
        </p>
        <p>
          Your identity provider could not end all of its sessions. On a shared computer sign out
          there as well, or close the browser.
        </p>
      </div>
    )
  if (search.signedout === 'failed')
    return (
      <div className="note warn" role="status">
        <p>
          <strong>You are signed out here, but not at your identity provider.</strong>
        </p>
        <p>
          You may still be signed in there, and in other applications. On a shared computer sign out
          there as well, or close the browser.
        </p>
      </div>
    )
  if (search.signedout)
    return (
      <p className="note quiet" role="status">
        You are signed out. Sign in again below.
      </p>
    )
  if (search.reset)
    return (
      <p className="note good" role="status">
        Your password is changed, and all your sessions are ended. Sign in with the new one.
      </p>
    )
  return null
}
