import type { FastifyInstance } from 'fastify'
import { noteAgentsSeen, type SeenAgent } from '../../../store/platform/note-agents-seen.ts'
import type { Deps } from '../../deps.ts'

/** Short enough that a list shows an agent as online as soon as it called. */
const collectMs = 200

export type Seen = {
  /** `release`: what runs there; undefined where the agent does not say, which changes nothing. */
  note(agentId: number, release?: SeenAgent['release']): void
  /** The agent is given work, so what it said of its release is not true for long: its result will tell. */
  dropRelease(agentId: number): void
}

/** Notes which agents called: many in one statement, because 1,000 idle agents call 33 times a second. */
export function noteSeen(app: FastifyInstance, { store, log }: Pick<Deps, 'store' | 'log'>): Seen {
  const seen = new Map<number, SeenAgent['release']>()
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    const agents = [...seen].map(([id, release]) => ({ id, release }))
    seen.clear()
    // An agent calls again within half a minute, which is before it counts as offline.
    noteAgentsSeen(store.platform, agents).catch((error: unknown) =>
      log.warn({ err: error, agents: agents.length }, 'agents were not noted as seen'),
    )
  }
  app.addHook('onClose', async () => clearTimeout(timer))
  return {
    note(agentId, release) {
      seen.set(agentId, release === undefined ? seen.get(agentId) : release)
      timer ??= setTimeout(flush, collectMs)
    },
    dropRelease(agentId) {
      if (seen.has(agentId)) seen.set(agentId, undefined)
    },
  }
}
