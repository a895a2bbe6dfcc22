import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'

const tokens = createRoute({
  getParentRoute: () => organization,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./tokens.tsx'), 'TokensPage'),
})

export const tokenRoutes = [tokens] as const
