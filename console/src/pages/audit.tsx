import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { auditQuery } from '../api/queries.ts'
import type { AuditFilter } from '../app/router.tsx'
import { detailText } from '../parts/detail-text.ts'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { Scroller } from '../parts/scroller.tsx'

const route = getRouteApi('/app/organization/audit')

/** Who did what, newest first. The filter is in the address, so that a find can be shared. */
export function AuditPage() {
  const filter = route.useSearch()
  const query = useInfiniteQuery(auditQuery(filter))
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
      {entries.length > 0 && (
        <Scroller label="Audit log">
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Event</th>
                <th scope="col">By</th>
                <th scope="col">On</th>
                <th scope="col">Details</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.id}>
                  <td className="dim">
                    <Time at={entry.at} />
                  </td>
                  <td>
                    <code>{entry.event}</code>
                    {entry.outcome !== 'success' && (
                      <span className="tag bad">
                        {entry.outcome}
                        {entry.count !== undefined && entry.count > 1 && ` × ${entry.count}`}
                      </span>
                    )}
                  </td>
                  <td>{entry.actor.label}</td>
                  <td>
                    {entry.target
                      ? `${entry.target.kind} ${entry.target.label ?? entry.target.id}`
                      : ''}
                  </td>
                  <td className="dim">
                    <code className="detail">{detailText(entry.detail)}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
      <LoadMore query={query} />
    </>
  )
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
      {/* A plain link: the browser itself saves what streams. */}
      <a
        className="button"
        href={`/api/audit/export?${new URLSearchParams(filter).toString()}`}
        download="audit.ndjson"
      >
        Export
      </a>
    </form>
  )
}
