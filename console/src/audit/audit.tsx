import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { auditQuery } from './queries.ts'
import type { AuditEntry } from '../api/types.ts'
import type { AuditFilter } from '../app/searches.ts'
import { momentOfDay } from '../parts/moment-of-day.ts'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { AuditChips } from './audit-chips.tsx'
import { AuditEntryRow } from './audit-entry.tsx'
import { AuditFilterFields } from './audit-filter.tsx'
import { VerifyAudit } from './verify-audit.tsx'

const route = getRouteApi('/app/organization/audit')

/** The audit log, newest entry first. The filter is in the URL, so that a result can be shared. */
export function AuditPage() {
  const filter = route.useSearch()
  const navigate = useNavigate()
  const query = useInfiniteQuery(auditQuery(momentsOf(filter)))
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <>
      <AuditFilterFields
        filter={filter}
        onChange={(search) =>
          // Back leads to the page before, and not through each filter.
          void navigate({ to: '/organization/audit', search, replace: true })
        }
      />
      <AuditChips filter={filter} />
      <div className="audit-acts">
        {/* A plain link, so that the browser streams the download to disk. */}
        <a
          className="button"
          href={`/api/audit/export?${new URLSearchParams(momentsOf(filter)).toString()}`}
          download="audit.ndjson"
        >
          Export
        </a>
        <VerifyAudit />
      </div>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="the audit log" />}
      {query.isSuccess && entries.length === 0 && (
        <Empty title="Nothing matches">
          <p>Remove a filter, or choose a longer span of time.</p>
        </Empty>
      )}
      <Days entries={entries} />
      <LoadMore query={query} />
    </>
  )
}

/** The entries of a day under its date, in the viewer's time zone. */
function Days({ entries }: { entries: readonly AuditEntry[] }) {
  const days = Map.groupBy(entries, ({ at }) => new Date(at).toDateString())
  return [...days].map(([day, ofDay]) => (
    <section key={day} className="audit-day" aria-label={dayFormat.format(new Date(day))}>
      <h2>{dayFormat.format(new Date(day))}</h2>
      <ol>
        {ofDay.map((entry) => (
          <AuditEntryRow key={entry.id} entry={entry} />
        ))}
      </ol>
    </section>
  ))
}

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'full' })

/** Converts days in the viewer's time zone, which all times on the page use, into instants for the API. */
function momentsOf({ from, to, ...rest }: AuditFilter): AuditFilter {
  return {
    ...rest,
    ...(from && { from: momentOfDay(from, 0) }),
    ...(to && { to: momentOfDay(to, 1) }),
  }
}
