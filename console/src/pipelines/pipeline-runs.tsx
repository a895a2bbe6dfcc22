import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { pipelineRunsQuery } from '../api/queries.ts'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { RunRow } from '../runs/run-row.tsx'

type Props = {
  id: number
  /** Shown while there are no runs. */
  children: ReactNode
}

/** The runs of a pipeline, newest first. */
export function PipelineRuns({ id, children }: Props) {
  const runs = useInfiniteQuery(pipelineRunsQuery(id))
  const all = runs.data?.pages.flatMap((page) => page.runs) ?? []
  return (
    <>
      <ErrorNote error={runs.error} goesOn />
      {runs.isPending && <Loading what="runs" />}
      {runs.isSuccess && all.length === 0 && <Empty title="No runs yet">{children}</Empty>}
      <PagedRows pages={runs.data?.pages}>
        {(page) =>
          page.runs.map((run) => (
            <RunRow key={run.id} run={run} place={{ kind: 'pipeline', id, runId: run.id }} />
          ))
        }
      </PagedRows>
      <LoadMore query={runs} />
    </>
  )
}
