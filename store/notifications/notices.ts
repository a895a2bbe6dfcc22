import type { Severity } from '../../domain/notifications/notice-events.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type Notice = {
  id: number
  event: string
  subjectKind: string
  subjectId: string
  subjectLabel: string
  severity: Severity
  title: string
  lines: string[]
  path: string
  detail: Record<string, unknown>
  createdAt: Date
}
export type NewNotice = Omit<Notice, 'id' | 'createdAt'> & { dedupeKey: string }

/** The events of one organization that channels were told of. */
export function notices(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** The new event's id; undefined if this event of this subject was announced before. */
    async add({ lines, detail, ...notice }: NewNotice): Promise<number | undefined> {
      const [row] = await db('notices')
        .insert({
          organizationId,
          ...notice,
          lines: JSON.stringify(lines),
          detail: JSON.stringify(detail),
        })
        .onConflict(['organizationId', 'event', 'subjectKind', 'subjectId', 'dedupeKey'])
        .ignore()
        .returning('id')
      return row === undefined ? undefined : Number(row.id)
    },
  }
}
