import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organization } from '../app/parent-routes.tsx'

const notifications = createRoute({
  getParentRoute: () => organization,
  path: '/notifications',
  component: lazyRouteComponent(() => import('./notifications.tsx'), 'NotificationsPage'),
})

export const notificationRoutes = [notifications] as const
