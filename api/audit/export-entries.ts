import { auditEntries, type AuditFilter } from '../../store/audit/audit-entries.ts'
import type { Deps } from '../deps.ts'
import { presentEntry } from './present-entry.ts'

/** An entry has up to some 10 KB, and those of a read are written at one stretch. */
const entriesPerRead = 100

/** One JSON document a line, oldest first, up to the newest entry at the start. Reads as fast as the client does. */
export async function* exportEntries(
  deps: Deps,
  organizationId: number,
  filter: AuditFilter,
): AsyncGenerator<string> {
  const { store } = deps
  const last = await store.tenant(organizationId, async (tenant) => auditEntries(tenant).newestId())
  let after = 0
  while (after < last) {
    const from = after
    const found = await store.tenant(organizationId, async (tenant) =>
      auditEntries(tenant).list({ ...filter, after: from, limit: entriesPerRead }),
    )
    const rows = found.filter(({ id }) => id <= last)
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(presentEntry(row))}\n`).join('')
    if (rows.length < entriesPerRead) return
    after = rows.at(-1)?.id ?? last
  }
}
