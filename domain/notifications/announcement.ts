import type { NoticeEvent, Severity } from './notice-events.ts'

/** What an event is about, so that a channel of one scope gets its own events alone. */
export type NoticeScope = {
  provider?: string
  /** As the bill names it. */
  service?: string
  /** The id of a connected account. */
  accountId?: number
  subAccountId?: string
  workspaceIds?: readonly number[]
  /** `key=value`. */
  tags?: readonly string[]
}

/** An event that channels may be told of (`app/notifications/announce.ts`). */
export type Announcement = {
  event: NoticeEvent
  subject: {
    kind: 'anomaly' | 'budget' | 'ingest' | 'slice' | 'source' | 'cloud_account' | 'commitment'
    id: number | string
    /** As people know it: a budget's name, `aws AmazonEC2`. */
    label: string
  }
  /**
   * Each (event, subject, dedupeKey) is told once. Empty by default: once for all time. A budget's is its month
   * (`2026-11`), that of `anomaly.grown` the step of the doubling, that of `account.*` the time of the change.
   */
  dedupeKey?: string
  /** Default: what is usual for the event (notice-events.ts). Channels with a daily digest get `high` at once. */
  severity?: Severity
  /** One plain sentence without a full stop: the subject of the mail, the headline of a message. */
  title: string
  /** Facts in plain sentences, each a paragraph; at most 20. */
  lines?: readonly string[]
  /** The console's page, from its first slash. */
  path?: string
  /** In the organization's currency, as decimal text. Channels with a `minimumImpact` above it are not told. */
  impact?: string
  /** Without it only channels without a scope are told. */
  scope?: NoticeScope
  /** The people whose runs caused it: channels with `owners` tell them. */
  userIds?: readonly number[]
  /** Facts for programs, sent to webhooks as they are: ids, amounts, days. Never a secret. */
  detail?: Readonly<Record<string, unknown>>
}
