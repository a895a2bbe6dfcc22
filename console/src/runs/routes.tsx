import { createRoute } from '@tanstack/react-router'
import { runQuery } from '../api/queries.ts'
import { app } from '../app/parent-routes.tsx'
import { count, runParams, text, type Values } from '../app/route-values.ts'
import { runTabs, type RunSearch } from '../app/searches.ts'
import { planSearch } from '../infrastructure/plan-search.ts'
import { warmPlanView } from './load-plan-view.ts'
import { PipelineRunPage, WorkspaceRunPage } from './run.tsx'

const runSearch = (search: Values): RunSearch => {
  const tab = runTabs.find((one) => one === search['tab'])
  const line = count(search['line'])
  const other = count(search['with'])
  const stage = text(search['stage'])
  return {
    // Without another run there is nothing to compare.
    ...(tab && (tab !== 'compare' || other) && { tab }),
    ...(tab === 'compare' && other && { with: other }),
    ...(stage && { stage }),
    ...(line && { line }),
    ...((!tab || tab === 'plan') && planSearch(search)),
  }
}

const workspaceRun = createRoute({
  getParentRoute: () => app,
  path: '/workspaces/$id/runs/$runId',
  params: runParams,
  validateSearch: runSearch,
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(runQuery({ kind: 'workspace', ...params }))
    warmPlanView(context.queryClient)
  },
  component: WorkspaceRunPage,
})

const pipelineRun = createRoute({
  getParentRoute: () => app,
  path: '/pipelines/$id/runs/$runId',
  params: runParams,
  validateSearch: runSearch,
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(runQuery({ kind: 'pipeline', ...params }))
    warmPlanView(context.queryClient)
  },
  component: PipelineRunPage,
})

export const runRoutes = [workspaceRun, pipelineRun] as const
