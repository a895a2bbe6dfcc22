import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'

export type ClaimWait = {
  /** Resolves once something may have changed for this agent, or the wait is over. */
  changed(): Promise<void>
  /** A newer claim of the agent took its place, its connection or the server closes. */
  isOver(): boolean
  end(): void
  close(): void
}

/**
 * The open claims of this process. A claim waits for a notification of its agent, over the process's one
 * LISTEN connection, so an idle agent costs a timer and no query. An agent has one open claim: a newer one
 * ends the one before it, so that an agent that is started anew does not wait beside its past.
 */
export function openClaimWaits(app: FastifyInstance, { changes }: Pick<Deps, 'changes'>) {
  type Waiting = { wake: () => void; end: () => void }
  const open = new Map<number, Waiting>()
  const off = changes.on('cc_agent', (payload) => {
    // Without an agent: the connection was open again, and notifications may have been missed.
    if (payload === '') for (const { wake } of open.values()) wake()
    else open.get(Number(payload))?.wake()
  })
  let closing = false
  app.addHook('preClose', (done) => {
    closing = true
    off()
    for (const { end } of open.values()) end()
    done()
  })

  return (agentId: number): ClaimWait => {
    open.get(agentId)?.end()
    let next = Promise.withResolvers<void>()
    let over = closing
    const waiting: Waiting = {
      wake: () => {
        next.resolve()
        next = Promise.withResolvers<void>()
      },
      end: () => {
        over = true
        next.resolve()
      },
    }
    open.set(agentId, waiting)
    return {
      changed: async () => next.promise,
      isOver: () => over,
      end: waiting.end,
      close() {
        if (open.get(agentId) === waiting) open.delete(agentId)
      },
    }
  }
}
