import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'
import type { Values } from '../app/route-values.ts'

const sso = createRoute({
  getParentRoute: () => organization,
  path: '/sso',
  validateSearch: (search: Values): { tested?: true } => (search['tested'] ? { tested: true } : {}),
  component: lazyRouteComponent(() => import('./sso.tsx'), 'SsoPage'),
})

export const samlRoutes = [sso] as const
