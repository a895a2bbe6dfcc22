import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { auditQuery } from '../api/queries.ts'
import type { AuditEntry } from '../api/types.ts'
import type { AuditFilter } from '../app/searches.ts'
import { detailText } from '../parts/detail-text.ts'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { momentOfDay } from '../parts/moment-of-day.ts'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { AuditSentence } from './audit-sentence.tsx'

const route = getRouteApi('/app/organization/audit')

/** The audit log, newest entry first. The filter is in the URL, so that a result can be shared. */
export function AuditPage() {
  const filter = route.useSearch()
  const query = useInfiniteQuery(auditQuery(momentsOf(filter)))
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <>
      <FilterForm key={JSON.stringify(filter)} filter={filter} />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="the audit log" />}
      {query.isSuccess && entries.length === 0 && (
        <Empty title="Nothing matches">
          <p>Widen the filter: an event can be an area, such as “pipeline”.</p>
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
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
    </section>
  ))
}

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'full' })
const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

function Entry({ entry }: { entry: AuditEntry }) {
  const { at, event, outcome, count = 1, detail } = entry
  const text = detailText(detail)
  return (
    <li>
      <time dateTime={at} title={`${at.replace('T', ' ').slice(0, 19)} UTC`} className="dim num">
        {clockFormat.format(new Date(at))}
      </time>
      <div>
        <p>
          <AuditSentence entry={entry} />
          {outcome !== 'success' && (
            <span className="tag bad">
              {outcome === 'denied' ? 'refused' : 'failed'}
              {count > 1 && ` × ${count}`}
            </span>
          )}
        </p>
        <p className="audit-code dim">
          <code>{event}</code> {text && <code className="detail">{text}</code>}
        </p>
      </div>
    </li>
  )
}

/** Converts days in the viewer's time zone, which all times on the page use, into instants for the API. */
function momentsOf({ from, to, ...rest }: AuditFilter): AuditFilter {
  return {
    ...rest,
    ...(from && { from: momentOfDay(from, 0) }),
    ...(to && { to: momentOfDay(to, 1) }),
  }
}

function FilterForm({ filter }: { filter: AuditFilter }) {
  const navigate = useNavigate()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const search: AuditFilter = {}
    for (const name of ['event', 'actor', 'target', 'from', 'to'] as const) {
      const value = textIn(form, name).trim()
      if (value) search[name] = value
    }
    void navigate({ to: '/organization/audit', search })
  }
  return (
    <form onSubmit={submit} className="audit-filter">
      <Field label="Event" name="event" defaultValue={filter.event} placeholder="pipeline.*" />
      <Field label="By" name="actor" defaultValue={filter.actor} placeholder="address" />
      <Field label="On" name="target" defaultValue={filter.target} placeholder="workspace:12" />
      <Field label="From" name="from" type="date" defaultValue={filter.from} />
      <Field label="To" name="to" type="date" defaultValue={filter.to} />
      <Button type="submit">Filter</Button>
      {/* A plain link, so that the browser streams the download to disk. */}
      <a
        className="button"
        href={`/api/audit/export?${new URLSearchParams(momentsOf(filter)).toString()}`}
        download="audit.ndjson"
      >
        Export
      </a>
    </form>
  )
}
