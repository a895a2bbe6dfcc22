import { Agent } from 'node:http'
import type { Duplex } from 'node:stream'
import { createKeyedTurns, type KeyedTurns } from './keyed-turns.ts'

/** A request's options for `http.request`: how a connection for it is opened, if none is idle. */
export type KeptRequest = { agent: Agent; connect(): Promise<Duplex> }

/**
 * Connections that stay open between requests. One key is one origin and use; each connection is bound to the
 * address that was checked when it was opened, and a new one is checked again.
 */
export interface ConnectionPool extends KeyedTurns {
  /** The agent of this key; undefined if too many keys have connections in use, or after `close`. */
  agentFor(key: string): Agent | undefined
  /** Closes all connections, those in use too. */
  close(): void
}

const idleMs = 20_000
/** Requests of a key at once: Node's `maxSockets` does not count connections that are being opened. */
const maxPerKey = 4
const maxKeys = 32

export function createConnectionPool(): ConnectionPool {
  const agents = new Map<string, Agent>()
  const turns = createKeyedTurns(maxPerKey)
  let closed = false

  return {
    agentFor(key) {
      if (closed) return undefined
      const known = agents.get(key)
      if (known) return known
      if (agents.size >= maxKeys && !dropUnused(agents)) return undefined
      const agent = new CheckingAgent({ keepAlive: true, timeout: idleMs })
      agents.set(key, agent)
      return agent
    },
    turn: (key, signal) => turns.turn(key, signal),
    close() {
      closed = true
      for (const agent of agents.values()) agent.destroy()
      agents.clear()
    },
  }
}

/** Hands out connections that the request itself opens; Node's own agent would look the name up unchecked. */
class CheckingAgent extends Agent {
  override createConnection(
    options: unknown,
    done?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    // Node hands the request's options on as they are, and send-request.ts is the only caller.
    void open(options as KeptRequest).then(({ error, socket }) =>
      // The type wants a stream beside the error; Node reads none then.
      // oxlint-disable-next-line promise/no-callback-in-promise -- Node's agent takes a callback
      done?.(error, socket as Duplex),
    )
  }
}

async function open(
  kept: KeptRequest,
): Promise<{ error: Error; socket?: never } | { error: null; socket: Duplex }> {
  try {
    return { error: null, socket: await kept.connect() }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error('not connected') }
  }
}

/** Closes the oldest agent that has no connection in use. */
function dropUnused(agents: Map<string, Agent>): boolean {
  for (const [key, agent] of agents) {
    const isUsed = [agent.sockets, agent.requests].some((held) => Object.keys(held).length > 0)
    if (isUsed) continue
    agent.destroy()
    agents.delete(key)
    return true
  }
  return false
}
