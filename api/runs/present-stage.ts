import type { RunView } from '../../store/runs/run-views.ts'
import type { RunBody } from './schemas.ts'

/** A stage of a run of either kind, without what only a plan has. */
export const presentStage = (stage: RunView['stages'][number]): RunBody['stages'][number] => ({
  name: stage.name,
  state: stage.state,
  startedAt: inIso(stage.startedAt),
  endedAt: inIso(stage.endedAt),
  ...(stage.by !== null && { by: stage.by }),
})

const inIso = (time: string | null): string | null => time && new Date(time).toISOString()
