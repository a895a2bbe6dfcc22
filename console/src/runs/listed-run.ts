import type { ListedRun, RunPlace } from '../api/types.ts'

/** A run is shown in its pipeline. One that only plans is in none, and in its workspace. */
export const placeOf = ({ id: runId, pipelineId, workspace }: ListedRun): RunPlace =>
  pipelineId === null
    ? { kind: 'workspace', id: workspace?.id ?? 0, runId }
    : { kind: 'pipeline', id: pipelineId, runId }

type Named = Pick<ListedRun, 'kind' | 'pipeline' | 'workspace'>

/** What it is a run of, by its name: its workspace, or its application's pipeline. */
export const ownerOf = ({ kind, pipeline, workspace }: Named): string =>
  (kind === 'application' ? pipeline?.name : workspace?.name) ?? ''

/** The workspace that a run of an application deploys to. */
export const targetOf = ({ kind, workspace }: Named): string | undefined =>
  kind === 'application' ? workspace?.name : undefined
