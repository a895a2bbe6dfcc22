import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'

const help = createRoute({
  getParentRoute: () => app,
  path: '/help',
  component: lazyRouteComponent(() => import('./help.tsx'), 'HelpPage'),
})

export const helpRoutes = [help] as const
