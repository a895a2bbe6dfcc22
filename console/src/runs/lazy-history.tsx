import { Suspense } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'

const Charts = lazyPart(async () => ({
  default: (await import('./run-history-charts.tsx')).RunHistoryCharts,
}))

/** In a chunk of its own: neither the first page nor the list of runs waits for charts. */
export const RunHistory = ({ workspaceId }: { workspaceId?: number }) => (
  <Suspense fallback={null}>
    <Charts {...(workspaceId !== undefined && { workspaceId })} />
  </Suspense>
)
