import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'
import { listSearch } from '../app/route-values.ts'

const people = createRoute({
  getParentRoute: () => organization,
  path: '/',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./people.tsx'), 'PeoplePage'),
})

const roles = createRoute({
  getParentRoute: () => organization,
  path: '/roles',
  component: lazyRouteComponent(() => import('./roles.tsx'), 'RolesPage'),
})

export const userRoutes = [people, roles] as const
