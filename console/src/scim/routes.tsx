import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'
import type { Values } from '../app/route-values.ts'

const provisioning = createRoute({
  getParentRoute: () => organization,
  path: '/provisioning',
  validateSearch: (search: Values): { log?: 'failure' } =>
    search['log'] === 'failure' ? { log: 'failure' } : {},
  component: lazyRouteComponent(() => import('./provisioning.tsx'), 'ProvisioningPage'),
})

export const scimRoutes = [provisioning] as const
