import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError, mayPass } from './api/call.ts'
import { isUp, reportConnection } from './api/connection.ts'
import { forgetEarly } from './api/early.ts'
import { meQuery } from './api/queries.ts'
import { sessionIsOver, sessionState } from './api/session-over.ts'
import { createConsoleRouter } from './app/router.tsx'
import { warmUp } from './app/warm-up.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/parts.css'
import './styles/shell.css'
import './styles/run.css'

const onError = (error: Error) => {
  // A session that ended while somebody looked: they sign in where they are.
  if (!(error instanceof ApiError) || error.code !== 'unauthenticated') return
  if (queryClient.getQueryData(meQuery.queryKey)) sessionIsOver()
}

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // What the service refuses it refuses again; what did not arrive is asked for again, and
      // after a second it is said.
      retry: (count, error) => mayPass(error) && count < 2,
      retryDelay: (count) => 300 * 2 ** count,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
const router = createConsoleRouter(queryClient)

// The browser knows at once that its network went; that it came back only says to look again.
addEventListener('offline', () => reportConnection(false))
addEventListener('online', () => void queryClient.refetchQueries({ type: 'active' }))
// What could not be shown shows itself once it can: nobody has to load a page anew.
setInterval(() => {
  const failed = ({ state: { error } }: { state: { error: Error | null } }) => mayPass(error)
  if (!document.hidden && !sessionState().over)
    void queryClient.refetchQueries({ type: 'active', ...(isUp() && { predicate: failed }) })
}, 5_000)
warmUp(router)

const root = document.getElementById('root')
// The frame of index.html stands until the page can be drawn as a whole.
await router.load()
forgetEarly()
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
