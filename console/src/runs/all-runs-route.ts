import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'
import { runsSearch } from './runs-search.ts'

const allRuns = createRoute({
  getParentRoute: () => app,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('./all-runs.tsx'), 'AllRunsPage'),
})

export const allRunsRoutes = [allRuns] as const
