import type { Static } from 'typebox'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import { publicState, type RunPhase } from '../../domain/runs/run-state.ts'
import type { LastRunBody } from './schemas.ts'

/** The newest run, as lists of pipelines and workspaces show it. */
export const presentLastRun = (
  run: { number: number; phase: RunPhase | ApplicationPhase } | null | undefined,
): Static<typeof LastRunBody> | null =>
  run
    ? {
        number: run.number,
        state: publicState(run.phase),
        ...(run.phase === 'awaiting_approval' && { awaitingApproval: true }),
      }
    : null
