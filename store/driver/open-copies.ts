import type { Readable } from 'node:stream'
import { Client } from 'pg'
import { to } from 'pg-copy-streams'
import type { Secret } from '../../config.ts'
import { AppError } from '../../domain/errors.ts'
import { connectionSettings } from './connect-lane.ts'
import { holdToRate, type Rate } from './hold-to-rate.ts'
import { setTenant } from './tenant-query.ts'

export type Copies = {
  /**
   * What a query of one organization finds, as CSV with a header, as fast as it is read. It has a
   * connection of its own, so a slow reader takes none of the pool's. Destroyed early, it ends the query.
   */
  csv(organizationId: number, query: string): Promise<Readable>
  close(): void
}

/** A process opens no more of them at once. */
const maxCopies = 6
/** So that one organization cannot take them all. */
const maxCopiesAnOrganization = 2
export type CopyLimits = Rate & { maxMs: number }
/**
 * A transaction that waits for its reader holds back VACUUM, and a place that others wait for: 64 KiB a second
 * over a minute, and ten minutes in all.
 */
const usual: CopyLimits = { slowMs: 60_000, leastBytes: 60 * 65_536, maxMs: 600_000 }

export function openCopies(databaseUrl: Secret, role: string, limits = usual): Copies {
  const open = new Map<Client, number>()

  const begin = async (organizationId: number): Promise<Client> => {
    const own = [...open.values()].filter((id) => id === organizationId).length
    if (open.size >= maxCopies || own >= maxCopiesAnOrganization) throw tooMany()
    // Without the pipeline mode, which takes no streams.
    const connection = new Client({ ...connectionSettings(databaseUrl, role), pipeline: false })
    open.set(connection, organizationId)
    // Without a listener an error event would end the process. The stream gets the error anyway.
    connection.on('error', () => undefined)
    try {
      await connection.connect()
      await connection.query(
        `set role ${role}; set statement_timeout = ${limits.maxMs}; set datestyle = 'ISO, YMD'; begin read only`,
      )
      await connection.query(setTenant.text, [String(organizationId)])
      return connection
    } catch (error) {
      end(connection)
      throw error
    }
  }

  const end = (connection: Client) => {
    open.delete(connection)
    // Not a polite end, which would wait for the rest of the rows: PostgreSQL stops at its next write.
    connection.connection.stream.destroy()
  }

  return {
    async csv(organizationId, query) {
      const connection = await begin(organizationId)
      const rows = connection.query(to(`copy (${query}) to stdout (format csv, header)`))
      // PostgreSQL's own time does not end a statement while it waits to send.
      const timer = setTimeout(
        () => rows.destroy(new Error('The download took too long.')),
        limits.maxMs,
      )
      // As above: the connection's end is an error of a stream that was destroyed too. One that PostgreSQL
      // reports destroys nothing by itself, and the place would stay taken.
      rows.on('error', () => rows.destroy())
      holdToRate(rows, limits)
      rows.once('close', () => {
        clearTimeout(timer)
        end(connection)
      })
      return rows
    },
    close() {
      for (const connection of open.keys()) end(connection)
    },
  }
}

const tooMany = () =>
  new AppError('unavailable', 'Too many downloads are under way. Try again in a moment.', {
    code: 'downloads_busy',
    retryAfterSeconds: 10,
  })
