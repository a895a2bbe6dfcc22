import type { ListedEntry } from '../../store/audit/audit-entries.ts'
import type { EntryBody } from './schemas.ts'

/** An audit entry as `GET /api/audit` shows it. */
export function presentEntry(entry: ListedEntry): EntryBody {
  const { id, event, outcome, detail, ip, requestId, targetKind, targetId } = entry
  return {
    id,
    at: entry.at.toISOString(),
    event,
    outcome,
    actor: { kind: entry.actorKind, id: entry.actorId, label: entry.actorLabel },
    target:
      targetKind === null || targetId === null
        ? null
        : { kind: targetKind, id: idOf(targetId), label: entry.targetLabel },
    detail,
    ip,
    requestId,
    hash: entry.hash?.toString('hex') ?? null,
    ...(entry.count !== null && { count: entry.count }),
  }
}

/** Ids are stored as text, because some are UUIDs. Numeric ones become numbers again. */
const idOf = (text: string) => (/^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text)
