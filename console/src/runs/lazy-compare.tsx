import { Suspense } from 'react'
import type { RunDetail } from '../api/types.ts'
import { Loading } from '../parts/notes.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'

const CompareRuns = lazyPart(async () => ({
  default: (await import('./compare-runs.tsx')).CompareRuns,
}))

/** A script of its own: most runs are looked at without comparing them. */
export const CompareRunsShown = (props: { run: RunDetail; other: number }) => (
  <Suspense fallback={<Loading what="the other run" />}>
    <CompareRuns {...props} />
  </Suspense>
)
