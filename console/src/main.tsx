import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError, mayPass } from './api/call.ts'
import { isUp, reportConnection } from './api/connection.ts'
import { forgetEarly } from './api/early.ts'
import { meQuery } from './api/queries.ts'
import { sessionIsOver, sessionState } from './api/session-over.ts'
import { answersOrTimeout } from './api/answers-or-timeout.ts'
import { createConsoleRouter } from './app/router.tsx'
import { warmUp } from './app/warm-up.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/parts.css'
import './styles/shell.css'
import './styles/run.css'
import './styles/lists.css'
import './styles/releases.css'
import './styles/palette.css'

const onError = (error: Error) => {
  // The session ended while the page was open: `SessionOver` asks for a sign-in on top of the page.
  if (!(error instanceof ApiError) || error.code !== 'unauthenticated') return
  if (queryClient.getQueryData(meQuery.queryKey)) sessionIsOver()
}

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A refusal (4xx) is not retried. Other failures are retried twice, and the page shows the error
      // after about a second.
      retry: (count, error) => mayPass(error) && count < 2,
      retryDelay: (count) => 300 * 2 ** count,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
const router = createConsoleRouter(queryClient)

// `offline` means that no request can succeed. `online` does not prove that the service answers, so it refetches.
addEventListener('offline', () => reportConnection(false))
addEventListener('online', () => void queryClient.refetchQueries({ type: 'active' }))
// Retries failed queries every 5 seconds, so that a page recovers without a reload.
setInterval(() => {
  const failed = ({ state: { error } }: { state: { error: Error | null } }) => mayPass(error)
  if (!document.hidden && !sessionState().over)
    void queryClient.refetchQueries({ type: 'active', ...(isUp() && { predicate: failed }) })
}, 5_000)
warmUp(router)

const root = document.getElementById('root')
// The static frame of index.html stays visible until the first page is loaded, and what it asked for early.
await router.load()
await answersOrTimeout(queryClient, 400)
forgetEarly()
// As a transition, so that rendering gives way to clicks and keys.
if (root)
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    ),
  )
