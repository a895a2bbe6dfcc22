import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import { invalid } from '../../domain/errors.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import { stages, type RunOfStages, type Stage } from '../../store/runs/stages.ts'
import type { Deps } from '../deps.ts'
import { QueryText } from '../http/pattern.ts'
import { coverLines, searchForLines } from './cover-lines.ts'
import type { StageReader } from './stage-reader.ts'

export const LogQuery = Type.Object({
  stage: Type.Optional(QueryText({ maxLength: 40 })),
  after: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 })),
})

type LogRequest = {
  request: FastifyRequest
  reply: FastifyReply
  run: RunOfStages
  query: Static<typeof LogQuery>
}

/** Called before anything is read, so that refused streams take no connection of the pool. */
export function assertRoomForLogs(request: FastifyRequest): void {
  if (wantsStream(request)) request.server.logStreams.assertRoom(request.caller)
}

const wantsStream = ({ headers }: FastifyRequest): boolean =>
  /text\/event-stream/.test(headers.accept ?? '')

/** One stage's lines after a `seq`: a page of JSON, or a live stream for `Accept: text/event-stream`. */
export async function sendLogs(deps: Deps, { request, reply, run, query }: LogRequest) {
  const { organizationId } = request.caller
  const stage = await findStage(deps, organizationId, { run, name: query.stage })
  const resumed = Number(request.headers['last-event-id'])
  const after = Number.isSafeInteger(resumed) && resumed > 0 ? resumed : (query.after ?? 0)
  if (!wantsStream(request)) {
    const lines = await deps.store.tenant(organizationId, async (tenant) => {
      const found = await logLines(tenant).list(stage.id, { after, limit: query.limit ?? 1_000 })
      return found.length === 0 ? [] : coverLines(found, await searchForLines(deps, tenant, run))
    })
    return { lines, nextSeq: lines.at(-1)?.seq ?? after }
  }
  return stream({ request, reply, stage, after, run })
}

/** Without a name: the running stage, else the last that began. */
async function findStage(
  deps: Deps,
  organizationId: number,
  { run, name }: { run: RunOfStages; name: string | undefined },
): Promise<Stage> {
  const all = await deps.store.tenant(organizationId, async (tenant) =>
    stages(tenant).ofRuns([run]),
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
 * Server-sent events. `id` is the line's `seq`, so a browser that reconnects continues where it was.
 * Ends with the event `end` once the stage or run is over and every line was sent. Ends without it
 * within seconds after the caller loses access.
 */
async function stream({ request, reply, stage, after, run }: StreamRequest): Promise<FastifyReply> {
  const { organizationId } = request.caller
  const { raw } = reply
  const opened = request.server.logStreams.open(
    request.caller,
    { organizationId, run, id: stage.id },
    {
      // Destroys a stream whose client does not read: it would never drain.
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
    // Taken before reading, so that a change in between is not missed.
    const change = reader.changed()
    const lines = await reader.linesAfter(seq)
    for (const line of lines) {
      // The stream may have been ended while it waited.
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
  // The headers of every answer: the request id and the rate limit.
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  // Otherwise the client of a log without lines would not know that it is connected.
  raw.flushHeaders()
}
