import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'
import { listSearch, type ListSearch, type Values } from '../app/route-values.ts'

const people = createRoute({
  getParentRoute: () => organization,
  path: '/',
  validateSearch: (search: Values): ListSearch & { invite?: true } => ({
    ...listSearch(search),
    ...(search['invite'] ? { invite: true } : {}),
  }),
  component: lazyRouteComponent(() => import('./people.tsx'), 'PeoplePage'),
})

const roles = createRoute({
  getParentRoute: () => organization,
  path: '/roles',
  component: lazyRouteComponent(() => import('./roles.tsx'), 'RolesPage'),
})

export const userRoutes = [people, roles] as const
