import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'
import { idParams, listSearch, type ListSearch, type Values } from '../app/route-values.ts'

/** `managed`: also those that workspaces brought. */
export type PipelinesSearch = ListSearch & { managed?: boolean }

const pipelines = createRoute({
  getParentRoute: () => app,
  path: '/pipelines',
  validateSearch: (search: Values): PipelinesSearch => ({
    ...listSearch(search),
    ...(search['managed'] === true && { managed: true }),
  }),
  component: lazyRouteComponent(() => import('./pipelines.tsx'), 'PipelinesPage'),
})

const pipeline = createRoute({
  getParentRoute: () => app,
  path: '/pipelines/$id',
  params: idParams,
  component: lazyRouteComponent(() => import('./pipeline.tsx'), 'PipelinePage'),
})

export const pipelineRoutes = [pipelines, pipeline] as const
