import type { FastifyInstance } from 'fastify'
import { noteAgentsSeen } from '../../../store/platform/note-agents-seen.ts'
import type { Deps } from '../../deps.ts'

/** Short enough that a list shows an agent as online as soon as it called. */
const collectMs = 200

/** Notes which agents called: many in one statement, because 1,000 idle agents call 33 times a second. */
export function noteSeen(
  app: FastifyInstance,
  { store, log }: Pick<Deps, 'store' | 'log'>,
): (agentId: number) => void {
  const seen = new Set<number>()
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    const ids = [...seen]
    seen.clear()
    // An agent calls again within half a minute, which is before it counts as offline.
    noteAgentsSeen(store.platform, ids).catch((error: unknown) =>
      log.warn({ err: error, agents: ids.length }, 'agents were not noted as seen'),
    )
  }
  app.addHook('onClose', async () => clearTimeout(timer))
  return (agentId) => {
    seen.add(agentId)
    timer ??= setTimeout(flush, collectMs)
  }
}
