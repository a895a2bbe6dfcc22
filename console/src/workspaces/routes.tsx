import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'
import { count, idParams, type Values } from '../app/route-values.ts'
import { workspaceTabs, type WorkspaceSearch } from '../app/searches.ts'

const workspaces = createRoute({
  getParentRoute: () => app,
  path: '/workspaces',
  validateSearch: (search: Values): { create?: boolean } =>
    search['create'] ? { create: true } : {},
  component: lazyRouteComponent(() => import('./workspaces.tsx'), 'WorkspacesPage'),
})

const workspace = createRoute({
  getParentRoute: () => app,
  path: '/workspaces/$id',
  params: idParams,
  validateSearch: (search: Values): WorkspaceSearch => {
    const tab = workspaceTabs.find((one) => one === search['tab'])
    const version = count(search['version'])
    return { ...(tab && { tab }), ...(tab === 'files' && version && { version }) }
  },
  component: lazyRouteComponent(() => import('./workspace.tsx'), 'WorkspacePage'),
})

export const workspaceRoutes = [workspaces, workspace] as const
