import type { Severity } from '../../domain/notifications/notice-events.ts'

/** One event as a channel is told of it. */
export type Message = {
  /** Equal for all attempts, so that a receiver recognizes a repeated message. */
  id: string
  event: string
  createdAt: Date
  organization: { id: number; slug: string; name: string }
  subject: { kind: string; id: string; label: string }
  severity: Severity
  title: string
  lines: readonly string[]
  /** The page of the console. */
  url: string
  detail: Readonly<Record<string, unknown>>
}

/** What a message of limited size says of the lines that did not fit. */
export const leftOut = (count: number): string =>
  count === 1 ? '1 line was left out' : `${count} lines were left out`

export type HttpMessage = { headers: Readonly<Record<string, string>>; body: string }
