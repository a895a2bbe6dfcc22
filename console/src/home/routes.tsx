import { createRoute } from '@tanstack/react-router'
import { homeQuery } from '../api/queries.ts'
import { app } from '../app/parent-routes.tsx'
import { HomePage } from './home.tsx'
import { listsOfHome } from './home-runs.tsx'

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  // Not awaited: the page itself shows the loading state and the error.
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(homeQuery)
    for (const list of listsOfHome) void queryClient.prefetchInfiniteQuery(list)
  },
  component: HomePage,
})

export const homeRoutes = [home] as const
