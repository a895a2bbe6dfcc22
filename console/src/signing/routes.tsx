import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'

const signingKeys = createRoute({
  getParentRoute: () => organization,
  path: '/signing-keys',
  component: lazyRouteComponent(() => import('./signing-keys.tsx'), 'SigningKeysPage'),
})

export const signingRoutes = [signingKeys] as const
