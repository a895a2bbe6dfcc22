/** How bad an event is unless its announcement says otherwise. */
const usualSeverity = {
  'anomaly.opened': 'medium',
  'anomaly.grown': 'medium',
  'budget.warn': 'medium',
  'budget.exceeded': 'high',
  'ingest.failed': 'medium',
  'ingest.late': 'medium',
  'slice.suspect': 'medium',
  'account.degraded': 'high',
  // At once, as the message that the account was degraded.
  'account.recovered': 'high',
  'commitment.unused': 'low',
} as const

export type NoticeEvent = keyof typeof usualSeverity
export type Severity = 'low' | 'medium' | 'high'

// The type of a literal's keys is lost in Object.keys.
export const noticeEvents = Object.keys(usualSeverity) as NoticeEvent[]

export const severityOf = (event: NoticeEvent): Severity => usualSeverity[event]

/** Sent to one channel alone, to try it. */
export const testEvent = 'notification.test'

/** A pattern's `*` stands for any characters: `anomaly.*`, `*.degraded`, `*`. */
export function matchesEvent(pattern: string, event: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return event === pattern
  if (!event.startsWith(first)) return false
  let at = first.length
  // Each piece at its first place: a backtracking match of many stars could take exponential time.
  for (const piece of rest) {
    const found = event.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return event.length - last.length >= at && event.endsWith(last)
}
