import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { RunDetail, RunPlace } from '../api/types.ts'
import { nameOfRun } from './run-row.tsx'
import { RunViewLink } from './run-tabs.tsx'

/** As many are asked for: one that destroyed all is nothing to compare with. */
const asked = 5

/** A link to the comparison with the last run before this one that went well. */
export function CompareLink({ run, place }: { run: RunDetail; place: RunPlace }) {
  const { workspaceId, createdAt: to } = run
  const { data } = useQuery({
    queryKey: ['runs', 'before', workspaceId, to],
    queryFn: ({ signal }) =>
      call('listRuns', {
        query: {
          workspaceId: [workspaceId],
          kind: ['apply'],
          outcome: ['succeeded'],
          to,
          limit: asked,
        },
        signal,
      }),
    // What ended before this run began does not change.
    staleTime: Infinity,
  })
  const earlier = data?.runs.find(({ destroy }) => !destroy)
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
