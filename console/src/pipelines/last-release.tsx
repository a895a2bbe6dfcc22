import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { agentsQuery } from '../agents/queries.ts'
import { isHost } from '../agents/agent-words.ts'
import { pipelineRunsQuery } from '../api/queries.ts'
import type { Pipeline } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { Time } from '../parts/time.tsx'
import { RunCommit } from '../runs/run-commit.tsx'
import { nameOfRun, RunLink } from '../runs/run-row.tsx'
import { lastReleaseOf, spreadOf } from './what-runs-where.ts'

/** The newest release that was deployed well, and on how many hosts it is. */
export function LastRelease({ pipeline: { id, targetWorkspaceId } }: { pipeline: Pipeline }) {
  const { data } = useInfiniteQuery(pipelineRunsQuery(id))
  const agents = useQuery({
    ...agentsQuery(targetWorkspaceId ?? 0),
    enabled: targetWorkspaceId !== null,
  })
  const run = lastReleaseOf(data?.pages.flatMap((page) => page.runs) ?? [], targetWorkspaceId)
  if (!run) return null
  const hosts = (agents.data ?? []).filter(isHost)
  const spread = spreadOf(hosts, run.artifact?.digest)
  return (
    <p className="last-release">
      {targetWorkspaceId === null ? 'Newest artifact: ' : 'Last release: '}
      <RunLink place={{ kind: 'pipeline', id, runId: run.id }}>{nameOfRun(run)}</RunLink>,{' '}
      <Time at={run.endedAt ?? run.createdAt} />
      <span className="dim">
        <RunCommit run={run} />
      </span>
      {targetWorkspaceId !== null && agents.isSuccess && (
        <>
          {' · on '}
          <Link to="/pipelines/$id" params={{ id }} search={{ tab: 'hosts' }}>
            {spread.have.toLocaleString()} of {plural(hosts.length, 'host')}
          </Link>
        </>
      )}
    </p>
  )
}
