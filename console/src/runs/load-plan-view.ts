import type { QueryClient } from '@tanstack/react-query'

/** The viewer of plans is a script of its own, because most pages that are opened first show none. */
export const loadPlanView = () => import('../infrastructure/plan-view.tsx')

/**
 * Begins to load it beside the run, as a question, so that the first page waits for it as for answers.
 * A failure shows where the viewer is needed.
 */
export const warmPlanView = (queryClient: QueryClient) =>
  void queryClient.prefetchQuery({
    queryKey: ['plan view'],
    queryFn: async () => loadPlanView().then(() => true),
    staleTime: Infinity,
    retry: false,
  })
