import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import { isTerminal } from '../../domain/pipelines/run-state.ts'
import { logLines, type LogLine } from '../../store/pipelines/log-lines.ts'
import { callers } from '../../store/platform/callers.ts'
import { stages, type Stage } from '../../store/pipelines/stages.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import type { Deps } from '../deps.ts'
import { QueryText } from '../http/pattern.ts'

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

const linesPerRead = 1_000
const pollMs = 2_000
const keepAliveMs = 15_000

/** One stage's lines after a `seq`: a page of JSON, or a live stream for `Accept: text/event-stream`. */
export async function sendLogs(deps: Deps, { request, reply, runId, query }: LogRequest) {
  const { organizationId } = request.caller
  const stage = await findStage(deps, organizationId, { runId, name: query.stage })
  const resumed = Number(request.headers['last-event-id'])
  const after = Number.isSafeInteger(resumed) && resumed > 0 ? resumed : (query.after ?? 0)
  if (!/text\/event-stream/.test(request.headers.accept ?? '')) {
    const lines = await readLines(deps, organizationId, {
      stage,
      after,
      limit: query.limit ?? linesPerRead,
    })
    return { lines, nextSeq: lines.at(-1)?.seq ?? after }
  }
  return stream(deps, { request, reply, stage, after, runId })
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

async function readLines(
  deps: Deps,
  organizationId: number,
  { stage, after, limit }: { stage: Stage; after: number; limit: number },
): Promise<LogLine[]> {
  return deps.store.tenant(organizationId, async (db) =>
    logLines(db, organizationId).list(stage.id, after, limit),
  )
}

/**
 * Server-sent events: `id` is the line's `seq`, so a browser that comes back goes on
 * where it was. Woken by the store, with a poll as a net; ends with event `end`
 * once the stage or the run is over and every line was sent, and without it within
 * seconds of the end of whatever let the caller in.
 */
async function stream(
  deps: Deps,
  {
    request,
    reply,
    stage,
    after,
    runId,
  }: Omit<LogRequest, 'query'> & { stage: Stage; after: number },
): Promise<FastifyReply> {
  const { organizationId } = request.caller
  request.server.leaveRequestsInFlight(request)
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
  let open = true
  let wake: () => void = () => undefined
  const stop = () => {
    open = false
    wake()
  }
  raw.on('close', stop)
  const unlisten = deps.changes.on('cc_log', (id) => {
    if (id === '' || Number(id) === stage.id) wake()
  })
  const unlistenRun = deps.changes.on('cc_run', (id) => {
    if (id === '' || Number(id) === runId) wake()
  })
  const keepAlive = setInterval(() => raw.write(': keep-alive\n\n'), keepAliveMs)
  const mayStay = stillLive(deps, request.caller)
  let seq = after
  try {
    while (open) {
      const woken = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      if (!(await mayStay())) break
      const over = await isOver(deps, organizationId, { runId, stage })
      const lines = await readLines(deps, organizationId, {
        stage,
        after: seq,
        limit: linesPerRead,
      })
      for (const line of lines)
        raw.write(`id: ${line.seq}\nevent: line\ndata: ${JSON.stringify(line)}\n\n`)
      seq = lines.at(-1)?.seq ?? seq
      // A read ends at a number of lines or of bytes: only one without lines has reached the end.
      if (lines.length > 0) continue
      if (over) {
        raw.write(`event: end\ndata: ${JSON.stringify({ nextSeq: seq })}\n\n`)
        break
      }
      await woken
    }
  } catch (error) {
    // The browser reconnects with Last-Event-ID, so a broken stream loses nothing.
    request.log.warn({ err: error, requestId: request.id }, 'a log stream ended early')
  } finally {
    clearInterval(keepAlive)
    unlisten()
    unlistenRun()
    raw.end()
  }
  return reply
}

/** Asked at most once a poll, however fast the lines come. */
function stillLive(deps: Deps, { kind, credentialId }: Caller): () => Promise<boolean> {
  let askedAt = Date.now()
  return async () => {
    if (Date.now() - askedAt < pollMs) return true
    askedAt = Date.now()
    return callers(deps.store).isLive(kind, credentialId)
  }
}

async function isOver(
  deps: Deps,
  organizationId: number,
  { runId, stage }: { runId: number; stage: Stage },
): Promise<boolean> {
  return deps.store.tenant(organizationId, async (db) => {
    const { phase } = await workspaceRuns(db, organizationId).get(runId)
    if (isTerminal(phase)) return true
    const now = await stages(db, organizationId).find(runId, stage.name)
    return ['succeeded', 'failed', 'skipped', 'canceled'].includes(now?.state ?? '')
  })
}
