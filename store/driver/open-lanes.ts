import { DatabaseError, type Client } from 'pg'

export type Lanes = {
  /** `send` writes all its queries to the connection at once and awaits the answers. */
  ask<T>(send: (connection: Client) => Promise<T>): Promise<T>
  close(): Promise<void>
}

type Lane = { connection?: Promise<Client>; asking: number }

/**
 * Connections shared by many requests in PostgreSQL's pipeline mode: queries are sent without
 * waiting for earlier answers, and no connection is checked out. For short statements that are each
 * a transaction of their own.
 */
export function openLanes(connect: () => Promise<Client>, size: number): Lanes {
  const lanes = Array.from({ length: size }, (): Lane => ({ asking: 0 }))

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
