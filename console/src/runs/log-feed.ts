import { pathOf } from '../api/call.ts'
import type { LogLine, RunPlace } from '../api/types.ts'

export type FeedState = 'connecting' | 'live' | 'waiting' | 'refused' | 'over'
type Wanted = {
  stage: string
  after?: number
  onEnd: () => void
  /** Asked when the browser gave up, which does not tell why: false where asking again is no use. */
  mayGoOn: () => Promise<boolean>
}
type Snapshot = { lines: readonly LogLine[]; state: FeedState }

const flushMs = 50
const againMs = 2_000
const longestMs = 30_000

/**
 * One stage's log as it grows. The browser takes up a broken stream by `Last-Event-ID`; where it
 * gives up (the service was restarting), a new stream begins after the last line that came.
 */
export function openLogFeed(place: RunPlace, { stage, after = 0, onEnd, mayGoOn }: Wanted) {
  let lines: LogLine[] = []
  let snapshot: Snapshot = { lines, state: 'connecting' }
  let source: EventSource | undefined
  let flushTimer: ReturnType<typeof setTimeout> | undefined
  let againTimer: ReturnType<typeof setTimeout> | undefined
  let pending: LogLine[] = []
  const listeners = new Set<() => void>()

  const publish = (state: FeedState) => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    if (pending.length > 0) lines = [...lines, ...pending]
    pending = []
    snapshot = { lines, state }
    for (const listener of listeners) listener()
  }
  const lastSeq = () => (pending.at(-1) ?? lines.at(-1))?.seq ?? after

  let over = false
  let failures = 0

  const connect = () => {
    clearTimeout(againTimer)
    if (over || document.hidden) return
    source?.close()
    const path = pathOf(addressOf[place.kind], { id: place.id, runId: place.runId })
    source = new EventSource(`${path}?stage=${encodeURIComponent(stage)}&after=${lastSeq()}`)
    source.addEventListener('open', () => {
      failures = 0
      publish('live')
    })
    source.addEventListener('line', (event: MessageEvent<string>) => {
      // Written by the API, one line an event.
      const line = JSON.parse(event.data) as LogLine
      if (line.seq <= lastSeq()) return
      pending.push(line)
      flushTimer ??= setTimeout(() => publish('live'), flushMs)
    })
    source.addEventListener('end', () => {
      over = true
      source?.close()
      publish('over')
      onEnd()
    })
    source.addEventListener('error', () => {
      publish('waiting')
      if (source?.readyState === EventSource.CLOSED) void giveUpOrWait()
    })
  }
  // A session that ended, or a run that is gone, is answered alike for ever.
  const giveUpOrWait = async () => {
    const asked = source
    const goesOn = await mayGoOn()
    if (over || asked !== source) return
    if (!goesOn) {
      over = true
      return publish('refused')
    }
    againTimer = setTimeout(connect, Math.min(longestMs, againMs * 2 ** failures))
    failures += 1
  }
  // A browser has six connections to a service and no more: a tab that nobody looks at holds none.
  const onVisibility = () => {
    clearTimeout(againTimer)
    if (document.hidden) source?.close()
    else connect()
  }
  const onOnline = () => {
    if (source?.readyState === EventSource.CLOSED) connect()
  }
  document.addEventListener('visibilitychange', onVisibility)
  addEventListener('online', onOnline)
  connect()

  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    snapshot: () => snapshot,
    close() {
      over = true
      document.removeEventListener('visibilitychange', onVisibility)
      removeEventListener('online', onOnline)
      source?.close()
      clearTimeout(flushTimer)
      clearTimeout(againTimer)
    },
  }
}

const addressOf = {
  pipeline: '/api/pipelines/{id}/runs/{runId}/logs',
  workspace: '/api/workspaces/{id}/runs/{runId}/logs',
} as const
