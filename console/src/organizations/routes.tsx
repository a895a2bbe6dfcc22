import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'

const settings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('./organization-settings.tsx'),
    'OrganizationSettingsPage',
  ),
})

export const organizationRoutes = [settings] as const
