import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'

const policies = createRoute({
  getParentRoute: () => organization,
  path: '/policies',
  component: lazyRouteComponent(() => import('./policies.tsx'), 'PoliciesPage'),
})

export const policyRoutes = [policies] as const
