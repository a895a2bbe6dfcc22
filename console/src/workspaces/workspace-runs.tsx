import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { workspaceRunsQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { RunHistory } from '../runs/lazy-history.tsx'
import { RunRow } from '../runs/run-row.tsx'

/** Runs of every kind. A run that applies belongs to the pipeline of the workspace, so its link leads there. */
export function WorkspaceRuns({ workspace }: { workspace: Workspace }) {
  const { id, pipelineId } = workspace
  const query = useInfiniteQuery(workspaceRunsQuery(id))
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? []
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="runs" />}
      {query.isSuccess && runs.length === 0 && (
        <Empty title="No runs yet">
          {workspace.configurationVersion === null && workspace.source.kind === 'inline' ? (
            <>
              <p>A run needs files to plan from.</p>
              <Link
                to="/workspaces/$id"
                params={{ id }}
                search={{ tab: 'files' }}
                className="button primary"
              >
                Write the first files
              </Link>
            </>
          ) : (
            <p>“Start a run” plans what would change, and asks you before it applies anything.</p>
          )}
        </Empty>
      )}
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.runs.map((run) => (
            <RunRow
              key={run.id}
              run={run}
              place={
                run.kind === 'plan'
                  ? { kind: 'workspace', id, runId: run.id }
                  : { kind: 'pipeline', id: pipelineId, runId: run.id }
              }
            />
          ))
        }
      </PagedRows>
      <LoadMore query={query} byHand />
      {runs.length > 0 && <RunHistory workspaceId={id} />}
    </>
  )
}
