import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Sends a file as it is read. It ends with the client's connection. */
export const sendCsv = (reply: FastifyReply, name: string, rows: Readable): FastifyReply =>
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(rows)
