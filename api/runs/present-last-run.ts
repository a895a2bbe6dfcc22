import type { Static } from 'typebox'
import { publicState } from '../../domain/runs/run-state.ts'
import type { LastRun } from '../../store/runs/pipeline-runs.ts'
import { waitsForPerson } from './read-releases.ts'
import type { LastRunBody } from './schemas.ts'

/** The newest run, as lists of pipelines and workspaces show it. */
export const presentLastRun = (
  run: Omit<LastRun, 'pipelineId'> | null | undefined,
): Static<typeof LastRunBody> | null =>
  run
    ? {
        number: run.number,
        state: publicState(run.phase),
        ...(waitsForPerson(run, run) && { awaitingApproval: true }),
      }
    : null
