import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { app } from '../app/parent-routes.tsx'
import { count, idParams, text, type Values } from '../app/route-values.ts'
import { workspaceTabs, type WorkspaceSearch } from '../app/searches.ts'
import { workspacesSearch, type WorkspacesSearch } from './workspaces-search.ts'

const workspaces = createRoute({
  getParentRoute: () => app,
  path: '/workspaces',
  validateSearch: (search: Values): WorkspacesSearch & { create?: boolean } => ({
    ...workspacesSearch(search),
    ...(search['create'] ? { create: true } : {}),
  }),
  component: lazyRouteComponent(() => import('./workspaces.tsx'), 'WorkspacesPage'),
})

const workspace = createRoute({
  getParentRoute: () => app,
  path: '/workspaces/$id',
  params: idParams,
  validateSearch: (search: Values): WorkspaceSearch => {
    const tab = workspaceTabs.find((one) => one === search['tab'])
    const [version, other] = [count(search['version']), count(search['with'])]
    const history = Boolean(search['history'])
    const [file, line] = [text(search['file']), count(search['line'])]
    const [from, to] = [text(search['from']), text(search['to'])]
    return {
      // Without a tab it is the tab of runs, whose link has none.
      ...(tab && tab !== 'runs' && { tab }),
      ...(search['start'] ? { start: true as const } : {}),
      ...(tab === 'files' && {
        ...(version && { version }),
        ...(history && { history: true as const, ...(other && { with: other }) }),
        ...(file && { file }),
        ...(line && { line }),
        ...(search['upload'] ? { upload: true as const } : {}),
      }),
      ...(tab === 'state' &&
        version && { version, ...(other && other !== version && { with: other }) }),
      ...(tab === 'cost' && { ...(from && { from }), ...(to && { to }) }),
    }
  },
  component: lazyRouteComponent(() => import('./workspace.tsx'), 'WorkspacePage'),
})

export const workspaceRoutes = [workspaces, workspace] as const
