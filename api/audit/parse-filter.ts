import { parseMoment } from '../http/parse-moment.ts'
import type { AuditFilter } from '../../store/audit/audit-entries.ts'
import type { AuditExport } from './schemas.ts'

/** The filters of the address, as the store asks for them. */
export function parseFilter({ event, actor, target, from, to }: AuditExport): AuditFilter {
  return {
    ...(event !== undefined && { event: parseEvent(event) }),
    ...(actor !== undefined && { actor: parseActor(actor) }),
    ...(target !== undefined && { target: parseTarget(target) }),
    ...(from !== undefined && { from: parseMoment('from', from) }),
    ...(to !== undefined && { to: parseMoment('to', to) }),
  }
}

/** `pipeline.deleted` is one event; `pipeline`, `pipeline*` and `pipeline.*` are the area. */
function parseEvent(text: string): NonNullable<AuditFilter['event']> {
  const area = /^([^.*]+)\.?\*?$/.exec(text)?.[1]
  return area === undefined ? { name: text } : { area }
}

const kinds = /^(user|token|scim|agent|system)(?::(\d{1,9}))?$/

function parseActor(text: string): NonNullable<AuditFilter['actor']> {
  const [, kind, id] = kinds.exec(text) ?? []
  if (kind !== undefined) return id === undefined ? { kind } : { kind, id: Number(id) }
  return /^\d{1,9}$/.test(text) ? { id: Number(text) } : { label: text }
}

function parseTarget(text: string): NonNullable<AuditFilter['target']> {
  // Only the first colon separates: a label may be a URL.
  const [, kind, id] = /^([a-z_]+):(?!\/)(.+)$/.exec(text) ?? []
  return kind === undefined || id === undefined ? { any: text } : { kind, id }
}
