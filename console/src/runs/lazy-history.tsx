import { lazy, Suspense } from 'react'

const Charts = lazy(async () => ({
  default: (await import('./run-history-charts.tsx')).RunHistoryCharts,
}))

/** In a chunk of its own: neither the first page nor the list of runs waits for charts. */
export const RunHistory = ({ workspaceId }: { workspaceId?: number }) => (
  <Suspense fallback={null}>
    <Charts {...(workspaceId !== undefined && { workspaceId })} />
  </Suspense>
)
