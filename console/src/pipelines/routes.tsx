import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'
import { idParams } from '../app/route-values.ts'
import { pipelinesSearch } from './pipelines-search.ts'

const pipelines = createRoute({
  getParentRoute: () => app,
  path: '/pipelines',
  validateSearch: pipelinesSearch,
  component: lazyRouteComponent(() => import('./pipelines.tsx'), 'PipelinesPage'),
})

const pipeline = createRoute({
  getParentRoute: () => app,
  path: '/pipelines/$id',
  params: idParams,
  component: lazyRouteComponent(() => import('./pipeline.tsx'), 'PipelinePage'),
})

export const pipelineRoutes = [pipelines, pipeline] as const
