import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { scimLogQuery } from './queries.ts'
import type { ScimLogEntry } from '../api/types.ts'
import { DataTable } from '../parts/data-table.tsx'
import { detailText } from '../parts/detail-text.ts'
import { Check } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'

const route = getRouteApi('/app/organization/provisioning')

/** The requests of identity providers by SCIM, with their outcome. */
export function ScimLog() {
  const { log } = route.useSearch()
  const navigate = useNavigate()
  const query = useInfiniteQuery(scimLogQuery(log))
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <section className="section" aria-labelledby="scim-log-title">
      <div className="list-head">
        <h2 id="scim-log-title">Provisioning log</h2>
        <Check
          label="Only what failed"
          checked={log === 'failure'}
          onChange={({ target: { checked } }) =>
            void navigate({
              to: '/organization/provisioning',
              search: checked ? { log: 'failure' } : {},
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="the provisioning log" />}
      {query.isSuccess && entries.length === 0 && (
        <p className="dim quiet-line">
          {log === 'failure'
            ? 'Nothing failed.'
            : 'No entries yet. Each change by an identity provider is listed here, and each refusal with its reason.'}
        </p>
      )}
      <DataTable
        label="Entries of the provisioning log"
        rows={entries}
        columns={[
          {
            title: 'Request',
            render: ({ request, token }) => (
              <>
                <code>
                  {request.method} {request.path.replace(/^\/api\/scim\/v2(?=\/)/, '')}
                </code>
                <span className="row-sub">{token.name}</span>
              </>
            ),
          },
          { title: 'Outcome', render: (entry) => <Outcome entry={entry} /> },
          {
            title: 'On',
            render: ({ target }) => (target ? `${target.kind} ${target.label}` : '–'),
          },
          {
            title: 'Changes',
            look: 'dim',
            render: ({ changes }) => {
              const text = detailText(changes)
              return text && <code className="detail">{text}</code>
            },
          },
          { title: 'When', look: 'dim', render: ({ at }) => <Time at={at} /> },
        ]}
      />
      <LoadMore query={query} />
    </section>
  )
}

function Outcome({ entry: { outcome, status, scimType, detail } }: { entry: ScimLogEntry }) {
  return (
    <>
      <span className={`badge ${outcome === 'success' ? 'good' : 'bad'}`}>
        {outcome === 'success' ? '✓' : '✗'} {status} {scimType}
      </span>
      {detail && <span className="row-sub">{detail}</span>}
    </>
  )
}
