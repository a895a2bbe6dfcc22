import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { root } from '../app/parent-routes.tsx'
import { text, type Values } from '../app/route-values.ts'
import type { SignedOut } from '../app/searches.ts'
import { LoginPage } from './login.tsx'
import { safePath } from './safe-path.ts'

type LoginSearch = {
  next?: string
  signedout?: SignedOut
  sso?: 'failed'
  reset?: boolean
}
const signedOut = (value: unknown): SignedOut | undefined => {
  if (value === 'partial' || value === 'failed') return value
  return value === undefined || value === false ? undefined : 1
}

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Values): LoginSearch => {
    const next = text(search['next'])
    const signedout = signedOut(search['signedout'])
    return {
      ...(next?.startsWith('/') === true && { next }),
      ...(signedout && { signedout }),
      ...(Boolean(search['reset']) && { reset: true }),
      ...(search['sso'] === 'failed' && { sso: 'failed' }),
    }
  },
  // Whoever is signed in already goes on. Not where the page has something to say.
  beforeLoad: async ({ search }) => {
    if (search.signedout || search.sso) return
    const session = await call('lookAtSession', {}).catch(() => undefined)
    if (session?.signedIn === true) throw redirect({ href: safePath(search.next) })
  },
  component: LoginPage,
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/accept',
  component: lazyRouteComponent(() => import('./invitation.tsx'), 'InvitationPage'),
})

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/password/forgot',
  component: lazyRouteComponent(() => import('./forgot-password.tsx'), 'ForgotPasswordPage'),
})

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/password/reset',
  component: lazyRouteComponent(() => import('./reset-password.tsx'), 'ResetPasswordPage'),
})

export const signInRoutes = [login, invitation, forgotPassword, resetPassword] as const
