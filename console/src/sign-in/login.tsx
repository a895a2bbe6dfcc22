import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { LoginNotice } from './login-notice.tsx'
import { SignIn } from './sign-in.tsx'
import { SsoSignIn } from './sso-sign-in.tsx'
import { useEnter } from './use-enter.ts'

const route = getRouteApi('/login')

/** The sign-in page. It is also shown after a sign-out, a failed single sign-on and a password reset. */
export function LoginPage() {
  const search = route.useSearch()
  const [sso, setSso] = useState(false)
  const enter = useEnter(search.next)
  if (sso) return <SsoSignIn next={search.next} onBack={() => setSso(false)} />
  return (
    <SignIn
      notice={<LoginNotice search={search} />}
      onDone={enter}
      onSso={() => setSso(true)}
      links={<Link to="/password/forgot">Forgot your password?</Link>}
    />
  )
}
