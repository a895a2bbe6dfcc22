import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'
import { idParams, type Values } from '../app/route-values.ts'
import { pipelineTabs, type PipelineSearch } from '../app/searches.ts'
import { pipelinesSearch, type PipelinesSearch } from './pipelines-search.ts'

const pipelines = createRoute({
  getParentRoute: () => app,
  path: '/pipelines',
  validateSearch: (search: Values): PipelinesSearch & { create?: true } => ({
    ...pipelinesSearch(search),
    ...(search['create'] ? { create: true } : {}),
  }),
  component: lazyRouteComponent(() => import('./pipelines.tsx'), 'PipelinesPage'),
})

const pipeline = createRoute({
  getParentRoute: () => app,
  path: '/pipelines/$id',
  params: idParams,
  validateSearch: (search: Values): PipelineSearch => {
    const tab = pipelineTabs.find((one) => one === search['tab'])
    // Without a tab it is the tab of runs, whose link has none.
    return tab && tab !== 'runs' ? { tab } : {}
  },
  component: lazyRouteComponent(() => import('./pipeline.tsx'), 'PipelinePage'),
})

export const pipelineRoutes = [pipelines, pipeline] as const
