import { Suspense } from 'react'
import type { RunPlace } from '../api/types.ts'
import { Loading } from '../parts/notes.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'

const RunComments = lazyPart(async () => ({
  default: (await import('./run-comments.tsx')).RunComments,
}))

/** A script of its own: most runs are looked at without their comments. */
export const RunCommentsShown = ({ place }: { place: RunPlace }) => (
  <Suspense fallback={<Loading what="comments" />}>
    <RunComments place={place} />
  </Suspense>
)
