import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'
import { idParams } from '../app/route-values.ts'

const policies = createRoute({
  getParentRoute: () => organization,
  path: '/policies',
  component: lazyRouteComponent(() => import('./policies.tsx'), 'PoliciesPage'),
})

const newPolicy = createRoute({
  getParentRoute: () => organization,
  path: '/policies/new',
  component: lazyRouteComponent(() => import('./policy.tsx'), 'NewPolicyPage'),
})

const policy = createRoute({
  getParentRoute: () => organization,
  path: '/policies/$id',
  params: idParams,
  component: lazyRouteComponent(() => import('./policy.tsx'), 'PolicyPage'),
})

export const policyRoutes = [policies, newPolicy, policy] as const
