import { DatabaseError, type Client } from 'pg'

export type Lanes = {
  /** `send` writes to the connection whatever it has to ask, at once, and waits for the answers. */
  ask<T>(send: (connection: Client) => Promise<T>): Promise<T>
  close(): Promise<void>
}

type Lane = { connection?: Promise<Client>; asking: number; isCorked: boolean }

/**
 * Connections that many requests ask at once, one behind the other, without waiting for each
 * other's answers (PostgreSQL's pipeline mode): for short statements that each are a transaction
 * of their own. Nobody checks a connection out, and what is asked in one turn of the event loop
 * leaves in one packet, which under load is most of what such a statement costs.
 */
export function openLanes(connect: () => Promise<Client>, size: number): Lanes {
  const lanes = Array.from({ length: size }, (): Lane => ({ asking: 0, isCorked: false }))

  const open = async (lane: Lane): Promise<Client> => {
    const opening = connect()
    lane.connection = opening
    // The next who asks opens it again. Whoever waits on it is told by the driver.
    const forget = () => {
      if (lane.connection === opening) delete lane.connection
    }
    try {
      const connection = await opening
      connection.on('error', forget)
      connection.on('end', forget)
    } catch (error) {
      forget()
      throw error
    }
    return opening
  }

  return {
    async ask(send) {
      const lane = lanes.reduce((least, other) => (other.asking < least.asking ? other : least))
      lane.asking += 1
      try {
        const connection = await (lane.connection ?? open(lane))
        holdBack(lane, connection)
        return await send(connection)
      } catch (error) {
        // Fatal, or not PostgreSQL's at all: the connection is ending, and its own event may come late.
        if (!(error instanceof DatabaseError && error.severity === 'ERROR')) delete lane.connection
        throw error
      } finally {
        lane.asking -= 1
      }
    },
    async close() {
      const open = lanes.flatMap(({ connection }) => connection ?? [])
      await Promise.allSettled(open.map(async (connection) => (await connection).end()))
    },
  }
}

/** Until all that has come in by now has been looked at. */
function holdBack(lane: Lane, { connection: { stream } }: Client): void {
  if (lane.isCorked) return
  lane.isCorked = true
  stream.cork()
  setImmediate(() => {
    lane.isCorked = false
    stream.uncork()
  })
}
