import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { applicationPipelinesQuery, newestRunsQuery } from '../pipelines/queries.ts'

export type ReleaseOfRun = {
  runId: number
  number: number
  pipelineId: number
  pipelineName: string
}

/** The runs whose releases hosts of a workspace may have, by their id: the newest of each pipeline that deploys to it. */
export function useReleaseNames(workspaceId: number): ReadonlyMap<number, ReleaseOfRun> {
  const { data: all = [] } = useQuery(applicationPipelinesQuery)
  const pipelines = useMemo(
    () => all.filter(({ targetWorkspaceId }) => targetWorkspaceId === workspaceId),
    [all, workspaceId],
  )
  const lists = useQueries({
    queries: pipelines.map(({ id }) => newestRunsQuery(id)),
    combine: (found) => found.map(({ data }) => data),
  })
  return useMemo(() => {
    const names = new Map<number, ReleaseOfRun>()
    for (const [at, { id: pipelineId, name: pipelineName }] of pipelines.entries())
      for (const run of lists[at] ?? [])
        if (run.number !== null)
          names.set(run.id, { runId: run.id, number: run.number, pipelineId, pipelineName })
    return names
  }, [pipelines, lists])
}
