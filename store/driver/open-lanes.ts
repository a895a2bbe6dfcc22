import { DatabaseError, type Client } from 'pg'

export type Lanes = {
  /** `send` writes all its queries to the connection at once and awaits the answers. */
  ask<T>(send: (connection: Client) => Promise<T>): Promise<T>
  close(): Promise<void>
}

type Lane = { connection?: Promise<Client>; asking: number; isCorked: boolean }

/**
 * Connections shared by many requests in PostgreSQL's pipeline mode: queries are sent without
 * waiting for earlier answers. For short statements that are each a transaction of their own. No
 * connection is checked out, and all queries of one turn of the event loop leave in one packet,
 * which under load is most of the cost of such a statement.
 */
export function openLanes(connect: () => Promise<Client>, size: number): Lanes {
  const lanes = Array.from({ length: size }, (): Lane => ({ asking: 0, isCorked: false }))

  const open = async (lane: Lane): Promise<Client> => {
    const opening = connect()
    lane.connection = opening
    // The next query opens it again. Pending queries get the error from the driver.
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
        // A fatal error, or one that is not PostgreSQL's: the connection is ending.
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

/** Holds the packet back until the event loop has handled everything that has arrived. */
function holdBack(lane: Lane, { connection: { stream } }: Client): void {
  if (lane.isCorked) return
  lane.isCorked = true
  stream.cork()
  setImmediate(() => {
    lane.isCorked = false
    stream.uncork()
  })
}
