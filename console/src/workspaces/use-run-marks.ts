import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { configurationVersionQuery, runQuery, workspaceRunsQuery } from '../api/queries.ts'
import type { RunPlace, Workspace } from '../api/types.ts'
import type { Mark } from '../editor/code-types.ts'
import { isOfWorkspace } from '../runs/is-of-workspace.ts'
import { nameOfRun } from '../runs/run-row.tsx'
import type { FileTexts } from './merge-files.ts'
import { runMarks } from './run-marks.ts'

export type RunMarks = {
  run: { name: string; place: RunPlace } | undefined
  marks: ReadonlyMap<string, readonly Mark[]>
}

/** What the last run that is over said about these files. */
export function useRunMarks({ id, pipelineId }: Workspace, files: FileTexts): RunMarks {
  const runs = useInfiniteQuery(workspaceRunsQuery(id))
  const last = runs.data?.pages[0]?.runs.find(({ state }) => state !== 'running')
  const failed = last?.state === 'failed' ? last : undefined
  const runId = failed?.id ?? 0
  const place: RunPlace =
    failed?.kind === 'plan'
      ? { kind: 'workspace', id, runId }
      : { kind: 'pipeline', id: pipelineId, runId }
  const query = useQuery({ ...runQuery(place), enabled: failed !== undefined })
  const run = failed && query.data && isOfWorkspace(query.data.run) ? query.data.run : undefined
  const hasPlaces = run?.diagnostics.some(({ file, line }) => file !== null && line !== null)
  const { data } = useQuery({
    ...configurationVersionQuery(id, run?.configurationVersion ?? 0),
    enabled: hasPlaces === true,
  })
  const used = data?.configuration?.files
  const marks = useMemo(
    () => (run && used ? runMarks(run.diagnostics, used, files) : new Map<string, Mark[]>()),
    [run, used, files],
  )
  return { run: run && { name: nameOfRun(run), place }, marks }
}
