import { useMe } from '../app/session.ts'
import { LockedCredentials } from '../parts/locked-credentials.tsx'
import { PageHead } from '../parts/pages.tsx'
import { AccountPassword } from './account-password.tsx'
import { AccountSecondFactor } from './account-second-factor.tsx'
import { AccountSessions } from './account-sessions.tsx'

/** The account of the signed-in person: password, second factor and sessions. */
export function AccountPage() {
  const { user, organization, auth } = useMe()
  return (
    <>
      <PageHead title="Your account">
        <p className="run-line dim">
          <span>{user.name}</span>
          {user.email && user.email !== user.name && <span>{user.email}</span>}
          <span className="tag">{user.role}</span>
          <span>in {organization.name}</span>
        </p>
      </PageHead>
      <LockedCredentials />
      {auth.mayChangeCredentials && (
        <div className="account-parts">
          <AccountPassword />
          <AccountSecondFactor />
        </div>
      )}
      <AccountSessions />
    </>
  )
}
