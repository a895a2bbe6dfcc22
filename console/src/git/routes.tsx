import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'

const git = createRoute({
  getParentRoute: () => organization,
  path: '/git',
  component: lazyRouteComponent(() => import('./git-connections.tsx'), 'GitConnectionsPage'),
})

export const gitRoutes = [git] as const
