import type { LogLine } from '../../gateways/runner/protocol.ts'
import type { Store } from '../../store/driver/connect.ts'
import { appendLines } from '../../store/runs/log-lines.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'

export type StageLog = {
  /** Resolves once the lines are stored, so that a fast writer waits for the store. */
  append: (lines: readonly LogLine[]) => Promise<void>
}

type Place = {
  store: Pick<Store, 'write'>
  organizationId: number
  stageId: number
  /** How long to retry while the store is down. */
  patienceMs?: number
}

/** Stores a stage's lines in the given order. They arrive masked and bounded (runner/stage-lines.ts). */
export function openStageLog({ store, organizationId, stageId, patienceMs }: Place): StageLog {
  let storing: Promise<void> = Promise.resolve()
  return {
    async append(lines) {
      if (lines.length === 0) return storing
      storing = storing.then(async () =>
        retryWhileUnavailable(
          async () => appendLines(store, organizationId, { stageId, lines }),
          patienceMs,
        ),
      )
      return storing
    },
  }
}
