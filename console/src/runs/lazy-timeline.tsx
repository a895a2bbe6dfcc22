import { Suspense, type ComponentProps } from 'react'
import { Loading } from '../parts/notes.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'

const Timeline = lazyPart(async () => ({ default: (await import('./run-timeline.tsx')).Timeline }))

/** A script of its own, with the words of all audit events. */
export const TimelineShown = (props: ComponentProps<typeof Timeline>) => (
  <Suspense fallback={<Loading what="the timeline" />}>
    <Timeline {...props} />
  </Suspense>
)
