import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import { invalid } from '../../domain/errors.ts'
import { logLines } from '../../store/pipelines/log-lines.ts'
import { stages, type Stage } from '../../store/pipelines/stages.ts'
import type { Deps } from '../deps.ts'
import { QueryText } from '../http/pattern.ts'
import type { StageReader } from './stage-reader.ts'

export const LogQuery = Type.Object({
  stage: Type.Optional(QueryText({ maxLength: 40 })),
  after: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 })),
})

type LogRequest = {
  request: FastifyRequest
  reply: FastifyReply
  runId: number
  query: Static<typeof LogQuery>
}

/** Before anything is read for it: refused streams take no connection of the pool. */
export function assertRoomForLogs(request: FastifyRequest): void {
  if (wantsStream(request)) request.server.logStreams.assertRoom(request.caller)
}

const wantsStream = ({ headers }: FastifyRequest): boolean =>
  /text\/event-stream/.test(headers.accept ?? '')

/** One stage's lines after a `seq`: a page of JSON, or a live stream for `Accept: text/event-stream`. */
export async function sendLogs(deps: Deps, { request, reply, runId, query }: LogRequest) {
  const { organizationId } = request.caller
  const stage = await findStage(deps, organizationId, { runId, name: query.stage })
  const resumed = Number(request.headers['last-event-id'])
  const after = Number.isSafeInteger(resumed) && resumed > 0 ? resumed : (query.after ?? 0)
  if (!wantsStream(request)) {
    const lines = await deps.store.tenant(organizationId, async (db) =>
      logLines(db, organizationId).list(stage.id, { after, limit: query.limit ?? 1_000 }),
    )
    return { lines, nextSeq: lines.at(-1)?.seq ?? after }
  }
  return stream({ request, reply, stage, after, runId })
}

/** Without a name: the stage that runs, else the last that has begun. */
async function findStage(
  deps: Deps,
  organizationId: number,
  { runId, name }: { runId: number; name: string | undefined },
): Promise<Stage> {
  const all = await deps.store.tenant(organizationId, async (db) =>
    stages(db, organizationId).ofRuns([runId]),
  )
  const stage =
    name === undefined
      ? (all.findLast(({ startedAt }) => startedAt !== null) ?? all[0])
      : all.find((candidate) => candidate.name === name)
  if (stage) return stage
  throw invalid('This run has no such stage.', [
    { path: 'stage', message: `one of ${all.map((one) => one.name).join(', ')}` },
  ])
}

type StreamRequest = Omit<LogRequest, 'query'> & { stage: Stage; after: number }

/**
 * Server-sent events: `id` is the line's `seq`, so a browser that comes back goes on where
 * it was. Ends with event `end` once the stage or the run is over and every line was sent,
 * and without it within seconds of the end of whatever let the caller in.
 */
async function stream({
  request,
  reply,
  stage,
  after,
  runId,
}: StreamRequest): Promise<FastifyReply> {
  const { organizationId } = request.caller
  const { raw } = reply
  const opened = request.server.logStreams.open(
    request.caller,
    { organizationId, runId, id: stage.id, name: stage.name },
    {
      // Also one whose reader does not read, so that it never drains.
      end: () => void (raw.writableNeedDrain ? raw.destroy() : raw.end()),
      keepAlive: () =>
        void (isOpen(raw) && !raw.writableNeedDrain && raw.write(': keep-alive\n\n')),
    },
  )
  raw.once('close', () => opened.close())
  request.server.leaveRequestsInFlight(request)
  try {
    begin(reply)
    await sendLines(raw, opened.reader, after)
  } catch (error) {
    // The browser reconnects with Last-Event-ID, so a broken stream loses nothing.
    request.log.warn({ err: error, requestId: request.id }, 'a log stream ended early')
  } finally {
    opened.close()
    raw.end()
  }
  return reply
}

async function sendLines(raw: ServerResponse, reader: StageReader, after: number) {
  let seq = after
  while (isOpen(raw)) {
    // Asked for before the look, so that what comes in between is not waited for.
    const change = reader.changed()
    const lines = await reader.linesAfter(seq)
    for (const line of lines) {
      // It may have been ended while it waited.
      if (!isOpen(raw)) return
      if (!raw.write(`id: ${line.seq}\nevent: line\ndata: ${JSON.stringify(line)}\n\n`))
        await orClosed(raw, new Promise((resolve) => void raw.once('drain', resolve)))
      seq = line.seq
    }
    if (lines.length > 0) continue
    if (!isOpen(raw)) return
    if (reader.isComplete(seq)) {
      raw.write(`event: end\ndata: ${JSON.stringify({ nextSeq: seq })}\n\n`)
      return
    }
    await orClosed(raw, change)
  }
}

const isOpen = (raw: ServerResponse): boolean => !raw.destroyed && !raw.writableEnded

async function orClosed(raw: ServerResponse, event: Promise<void>): Promise<void> {
  if (!isOpen(raw)) return
  const gone = Promise.withResolvers<void>()
  raw.once('close', gone.resolve)
  try {
    await Promise.race([event, gone.promise])
  } finally {
    raw.off('close', gone.resolve)
  }
}

function begin(reply: FastifyReply): void {
  reply.hijack()
  const { raw } = reply
  // What every answer has: its request id and where its rate limit stands.
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  // Else whoever follows a log that has no line yet would not know that they are connected.
  raw.flushHeaders()
}
