import { useInfiniteQuery } from '@tanstack/react-query'
import { workspaceRunsQuery } from '../api/queries.ts'
import type { RunDetail, RunPlace } from '../api/types.ts'
import { nameOfRun } from './run-row.tsx'
import { RunViewLink } from './run-tabs.tsx'

/** A link to the comparison with the last run before this one that went well, if it is one of the newest. */
export function CompareLink({ run, place }: { run: RunDetail; place: RunPlace }) {
  const { data } = useInfiniteQuery({
    ...workspaceRunsQuery(run.workspaceId),
    refetchInterval: false,
  })
  const earlier = data?.pages
    .flatMap(({ runs }) => runs)
    .find(
      (one) =>
        one.kind === 'apply' &&
        one.state === 'succeeded' &&
        !one.destroy &&
        one.createdAt < run.createdAt,
    )
  if (!earlier) return null
  return (
    <p>
      <RunViewLink place={place} search={{ tab: 'compare', with: earlier.id }}>
        Compare with {nameOfRun(earlier).replace('Run', 'run')}
      </RunViewLink>
      , the last one that went well.
    </p>
  )
}
