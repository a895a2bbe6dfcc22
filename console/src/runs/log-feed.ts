import { pathOf } from '../api/call.ts'
import type { LogLine, RunPlace } from '../api/types.ts'

export type FeedState = 'connecting' | 'live' | 'waiting' | 'refused' | 'over'
type Wanted = {
  stage: string
  after?: number
  /** Gets each line, and the feed keeps none: for a page that shows no log. */
  onLine?: (line: LogLine) => void
  onEnd: () => void
  /** Called when the EventSource is closed, because it does not report the status. False: a retry cannot succeed. */
  mayGoOn: () => Promise<boolean>
}
type Snapshot = { lines: readonly LogLine[]; state: FeedState }

const flushMs = 50
const againMs = 2_000
const longestMs = 30_000

/**
 * Streams the log of one stage. The browser resumes a broken stream with `Last-Event-ID`. If the browser
 * closes the stream (for example on an error status during a restart), a new stream starts after the last line.
 */
export function openLogFeed(place: RunPlace, wanted: Wanted) {
  const { stage, after = 0, onLine, onEnd, mayGoOn } = wanted
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
    if (pending.length > 0) lines = onLine ? pending.slice(-1) : [...lines, ...pending]
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
      // The API sends one line in each event, as JSON.
      const line = JSON.parse(event.data) as LogLine
      if (line.seq <= lastSeq()) return
      if (onLine) pending = [line]
      else pending.push(line)
      onLine?.(line)
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
  // No retry after the session has ended or the run was deleted: each retry would fail too.
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
  // Browsers allow six HTTP/1.1 connections to a host for all tabs, so a hidden tab closes its stream.
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
