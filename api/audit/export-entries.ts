import {
  auditEntries,
  type AuditFilter,
  type ListedEntry,
} from '../../store/audit/audit-entries.ts'
import type { Deps } from '../deps.ts'
import { presentEntry } from './present-entry.ts'

/** An entry has up to some 10 KB, and those of a read are written at one stretch. */
const entriesPerRead = 100
/** A filter that few entries match has a statement pass over no more of them, so that each ends soon. */
const entriesPerPiece = 10_000

type Export = { organizationId: number; filter: AuditFilter; gone: () => boolean }

/**
 * One JSON document a line, oldest first, up to the newest entry at the start. Reads as fast as the client does, and
 * ends when the client is gone. Each read is a transaction of its own, of 20 s at most (store/audit/audit-entries.ts).
 */
export async function* exportEntries(
  { store }: Pick<Deps, 'store'>,
  { organizationId, filter, gone }: Export,
): AsyncGenerator<string> {
  const read = async <T>(work: (entries: ReturnType<typeof auditEntries>) => Promise<T>) =>
    store.tenant(organizationId, async (tenant) => work(auditEntries(tenant)))
  const last = await read(async (entries) => entries.newestId())
  let after = 0
  while (after < last) {
    const begin = after
    const end = await read(async (entries) => entries.idFurtherOn(begin, entriesPerPiece))
    const through = Math.min(end ?? last, last)
    while (after < through) {
      if (gone()) return
      const slice = { ...filter, after, through, limit: entriesPerRead }
      const rows = await read(async (entries) => entries.page(slice))
      if (rows.length > 0) yield linesOf(rows)
      after = rows.length < entriesPerRead ? through : (rows.at(-1)?.id ?? through)
    }
  }
}

const linesOf = (rows: readonly ListedEntry[]): string =>
  rows.map((row) => `${JSON.stringify(presentEntry(row))}\n`).join('')
