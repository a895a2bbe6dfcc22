import type { Notification } from '../../store/notifications/notifications.ts'
import type { NotificationBody } from './schemas.ts'

const iso = (time: Date | null): string | null => time?.toISOString() ?? null

/** A channel as every member sees it: its address shortened, and never its secret. */
export function presentNotification(row: Notification): NotificationBody {
  const { id, name, kind, recipients, events, scopeKind, scopeValue, digest, enabled } = row
  return {
    id,
    name,
    kind,
    url: row.urlShown,
    recipients,
    events,
    scopeKind,
    scopeValue,
    minimumImpact: row.minimumImpact === null ? null : Number(row.minimumImpact),
    digest,
    enabled,
    state: row.failingSince ? 'failing' : row.lastSentAt ? 'working' : 'untried',
    failingSince: iso(row.failingSince),
    lastSentAt: iso(row.lastSentAt),
    lastStatus: row.lastStatus,
    lastError: row.lastError,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
