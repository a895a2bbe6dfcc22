import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../domain/access/caller.ts'
import { AppError } from '../../domain/errors.ts'
import { callers } from '../../store/platform/callers.ts'
import type { Deps } from '../deps.ts'
import { createGates } from '../http/gate.ts'
import { readStage, type StageOfRun, type StageReader } from './stage-reader.ts'

declare module 'fastify' {
  interface FastifyInstance {
    logStreams: LogStreams
  }
}

/** An open stream, as the process counts and ends it. */
export type LogStream = {
  /** The reader of its stage, shared by all listeners of that stage. */
  reader: StageReader
  close(): void
}

export type LogStreams = {
  /** Throws 429 `too_many_streams` at the caller's limit. Needs no database. */
  assertRoom(caller: Caller): void
  /** Throws as `assertRoom` does. `end` is called when the caller loses access. */
  open(
    caller: Caller,
    stage: StageOfRun,
    watch: { end: () => void; keepAlive: () => void },
  ): LogStream
}

/** An organization opens another one only while it has fewer than are free: one alone 100, a second one 50. */
export const streamLimits = { caller: 20, process: 200 } as const

const lookEveryMs = 2_000
const keepAliveMs = 15_000
/** Reads for streams of one organization: its other connections (share-connections.ts) stay free for its requests. */
const readsAtOnce = 2

type Open = { caller: Caller; end: () => void; keepAlive: () => void }

/** The log streams of this process: their number, their readers, and whether their callers still have access. */
export function registerLogStreams(app: FastifyInstance, deps: Deps): void {
  const open = new Set<Open>()
  const readers = new Map<number, { reader: StageReader; listeners: number }>()
  const gateOf = createGates(readsAtOnce)

  const acquire = (stage: StageOfRun): StageReader => {
    const known = readers.get(stage.id)
    if (known) {
      known.listeners += 1
      return known.reader
    }
    const reader = readStage(deps, stage, gateOf(stage.organizationId))
    readers.set(stage.id, { reader, listeners: 1 })
    return reader
  }
  const release = (stageId: number, reader: StageReader) => {
    const known = readers.get(stageId)
    if (known?.reader !== reader) return
    known.listeners -= 1
    if (known.listeners > 0) return
    readers.delete(stageId)
    reader.stop()
  }

  // One query covers all of them, however fast lines arrive.
  let looking = false
  // Only of those that were asked about: one that opens meanwhile is in no answer.
  const look = async (asked: ReadonlySet<Open>) => {
    const live = await callers(deps.store).liveAmong([...asked].map(({ caller }) => caller))
    for (const stream of asked)
      if (!live.has(`${stream.caller.kind} ${stream.caller.credentialId}`)) stream.end()
  }
  const looker = setInterval(() => {
    if (looking || open.size === 0) return
    looking = true
    const asked = new Set(open)
    look(asked)
      .catch((error: unknown) => {
        // Access cannot be checked, so all streams end. A browser reconnects with Last-Event-ID.
        deps.log.warn({ err: error, streams: asked.size }, 'log streams ended early')
        for (const stream of asked) stream.end()
      })
      .finally(() => (looking = false))
  }, lookEveryMs).unref()
  const keeper = setInterval(() => {
    for (const stream of open) stream.keepAlive()
  }, keepAliveMs).unref()
  app.addHook('preClose', (done) => {
    clearInterval(looker)
    clearInterval(keeper)
    for (const stream of open) stream.end()
    done()
  })

  app.decorate('logStreams', {
    assertRoom: (caller) => assertRoom(open, caller),
    open(caller, stage, { end, keepAlive }) {
      assertRoom(open, caller)
      const stream: Open = { caller, end, keepAlive }
      open.add(stream)
      const reader = acquire(stage)
      return {
        reader,
        close() {
          if (open.delete(stream)) release(stage.id, reader)
        },
      }
    },
  } satisfies LogStreams)
}

function assertRoom(open: ReadonlySet<Open>, { organizationId, userId }: Caller): void {
  const ofOrganization = [...open].filter(({ caller }) => caller.organizationId === organizationId)
  const ofCaller = ofOrganization.filter(({ caller }) => caller.userId === userId)
  const refuse = (whose: string, count: number) =>
    new AppError('rate_limited', `${whose} ${count} log streams open, and no more are allowed.`, {
      code: 'too_many_streams',
      retryAfterSeconds: 10,
    })
  if (ofCaller.length >= streamLimits.caller) throw refuse('You have', streamLimits.caller)
  const free = streamLimits.process - open.size
  if (free === 0) throw refuse('This server has', streamLimits.process)
  if (ofOrganization.length >= free) throw refuse('Your organization has', ofOrganization.length)
}
