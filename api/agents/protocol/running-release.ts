import type { RunningRelease } from '../../../domain/agents/state-after.ts'
import type { ClaimBody } from './schemas.ts'

/** What an agent says that it runs; undefined where it does not say. */
export const runningRelease = (release: ClaimBody['release']): RunningRelease | null | undefined =>
  release && { digest: release.digest, runId: release.runId ?? null }
