import type { HookReport } from '../../../store/agents/note-heartbeat.ts'
import type { Hook } from './schemas.ts'

/** What is kept of a hook: shown beside its host. */
export const hookReport = ({ name, state, exitCode, durationMs }: Hook): HookReport => ({
  name,
  state,
  exitCode: exitCode ?? null,
  durationMs: durationMs ?? null,
})
