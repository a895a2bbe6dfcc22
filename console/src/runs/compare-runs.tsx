import { useQuery } from '@tanstack/react-query'
import { runQuery } from '../api/queries.ts'
import type { RunDetail, RunPlace } from '../api/types.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { Time } from '../parts/time.tsx'
import { VersionDiff } from '../workspaces/version-diff.tsx'
import { isOfWorkspace } from './is-of-workspace.ts'
import { nameOfRun, RunLink, Summary } from './run-row.tsx'

/** What differs between this run and another one of its workspace: `other` is its id there. */
export function CompareRuns({ run, other }: { run: RunDetail; other: number }) {
  const place: RunPlace = { kind: 'workspace', id: run.workspaceId, runId: other }
  const { data, error } = useQuery(runQuery(place))
  if (isGone(error)) return <Gone what="run" to="/workspaces" list="All workspaces" />
  if (!data) return error ? <ErrorNote error={error} goesOn /> : <Loading what="the other run" />
  const earlier = data.run
  if (!isOfWorkspace(earlier)) return null
  return (
    <>
      <section className="section">
        <h2>
          Compared with <RunLink place={place}>{nameOfRun(earlier)}</RunLink>
        </h2>
        <Facts before={earlier} after={run} />
      </section>
      <section className="section">
        <h2>Files</h2>
        <VersionDiff
          id={run.workspaceId}
          older={earlier.configurationVersion}
          newer={run.configurationVersion}
        >
          Both runs used the same files: a variable, the state or the cloud differs.
        </VersionDiff>
      </section>
    </>
  )
}

type Pair = { before: RunDetail; after: RunDetail }

function Facts({ before, after }: Pair) {
  const row = (id: string, show: (run: RunDetail) => React.ReactNode) => ({
    id,
    before: show(before),
    after: show(after),
  })
  return (
    <DataTable
      label="Facts of both runs"
      rows={[
        row('State', (run) => <StateBadge run={run} />),
        row('Started', (run) => (
          <>
            by {run.author.label}, <Time at={run.createdAt} />
          </>
        )),
        row('Files', ({ configurationVersion, commitSha }) => (
          <>
            version {configurationVersion}
            {commitSha && (
              <>
                , commit <code>{commitSha.slice(0, 12)}</code>
              </>
            )}
          </>
        )),
        row('Changes', ({ summary }) => (summary ? <Summary summary={summary} /> : 'no plan')),
      ]}
      columns={[
        { title: 'Fact', render: ({ id }) => id },
        { title: nameOfRun(before), render: (fact) => fact.before },
        { title: 'This run', render: (fact) => fact.after },
      ]}
    />
  )
}
