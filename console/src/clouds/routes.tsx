import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'
import { count, idParams, type Values } from '../app/route-values.ts'
import { resourceFilters, type ResourceFilter } from '../app/searches.ts'

const clouds = createRoute({
  getParentRoute: () => app,
  path: '/clouds',
  component: lazyRouteComponent(() => import('./clouds.tsx'), 'CloudsPage'),
})

const connectCloud = createRoute({
  getParentRoute: () => app,
  path: '/clouds/connect',
  component: lazyRouteComponent(() => import('./connect-cloud.tsx'), 'ConnectCloudPage'),
})

const cloudResources = createRoute({
  getParentRoute: () => app,
  path: '/clouds/resources',
  validateSearch: (search: Values): ResourceFilter => {
    const filter: ResourceFilter = {}
    for (const field of resourceFilters) {
      // The router parses `12` as a number, and a filter is a string. An empty text is none.
      const value = search[field]
      if ((typeof value === 'string' && value !== '') || typeof value === 'number')
        filter[field] = String(value)
    }
    const accountId = count(search['accountId'])
    const { state, managed } = search
    return {
      ...filter,
      ...(accountId && { accountId }),
      ...(typeof managed === 'boolean' && { managed }),
      ...((state === 'gone' || state === 'all') && { state }),
    }
  },
  component: lazyRouteComponent(() => import('./resources.tsx'), 'ResourcesPage'),
})

const cloudAccount = createRoute({
  getParentRoute: () => app,
  path: '/clouds/$id',
  params: idParams,
  component: lazyRouteComponent(() => import('./cloud-account.tsx'), 'CloudAccountPage'),
})

export const cloudRoutes = [clouds, connectCloud, cloudResources, cloudAccount] as const
