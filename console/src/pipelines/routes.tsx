import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'
import { idParams, listSearch } from '../app/route-values.ts'

const pipelines = createRoute({
  getParentRoute: () => app,
  path: '/pipelines',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./pipelines.tsx'), 'PipelinesPage'),
})

const pipeline = createRoute({
  getParentRoute: () => app,
  path: '/pipelines/$id',
  params: idParams,
  component: lazyRouteComponent(() => import('./pipeline.tsx'), 'PipelinePage'),
})

export const pipelineRoutes = [pipelines, pipeline] as const
