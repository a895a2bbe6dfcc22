import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Answer } from '../api/call.ts'
import { plural } from '../api/words.ts'
import type { UnmanagedSearch } from '../app/searches.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { FilterForm } from '../parts/filter-form.tsx'
import { Field, textIn } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { money } from './money.ts'
import { costQuery } from './queries.ts'

type Props = {
  search: UnmanagedSearch
  /** The key that is asked for, or the organization's own, or the one on most cost. */
  tagKey: string | null
}

/** The cost of what has no tag of one key, by service and by owner. */
export function Untagged({ search, tagKey }: Props) {
  return (
    <section className="section">
      <h2>Untagged</h2>
      {tagKey === null ? (
        <p className="dim quiet-line">The bills of this period have no tags.</p>
      ) : (
        <OfKey search={search} tagKey={tagKey} />
      )}
    </section>
  )
}

type KeyProps = { search: UnmanagedSearch; tagKey: string }

function OfKey({ search, tagKey }: KeyProps) {
  const { tagValue: _value, ...open } = search
  const asked = { ...open, tagKey, untagged: true as const }
  const query = useQuery(costQuery(asked))
  const { total, currency = '', spendByService = [], byOwner } = query.data ?? {}
  const settled = query.isSuccess && !query.isPlaceholderData
  return (
    <>
      <KeyForm
        search={search}
        tagKey={tagKey}
        found={settled ? `${plural(spendByService.length, 'service')} found` : ''}
      />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="untagged cost" />}
      {total !== undefined && (
        <>
          <p className="section-text">
            <strong className="num">{money(total, currency)}</strong> without the tag {tagKey}.{' '}
            <Link to="/cost" search={asked}>
              See it by day
            </Link>
          </p>
          <div className="cost-halves">
            <DataTable
              label={`Without the tag ${tagKey}, by service`}
              rows={servicesOf(spendByService)}
              columns={columnsOf('Service', currency)}
            />
            <DataTable
              label={`Without the tag ${tagKey}, by workspace`}
              rows={ownersOf(byOwner)}
              columns={columnsOf('Workspace', currency)}
            />
          </div>
        </>
      )}
    </>
  )
}

function KeyForm({ search, tagKey, found }: KeyProps & { found: string }) {
  const navigate = useNavigate()
  return (
    <FilterForm
      className="cost-filter tag-key"
      act="Show"
      search={{ tagKey }}
      read={(form) => ({ tagKey: textIn(form, 'tagKey').trim() })}
      onFilter={({ tagKey: key }) => {
        const { tagKey: _key, tagValue: _value, untagged: _untagged, ...rest } = search
        void navigate({ to: '/cost/unmanaged', search: { ...rest, ...(key && { tagKey: key }) } })
      }}
      found={found}
    >
      <Field label="Tag key" name="tagKey" defaultValue={tagKey} maxLength={500} />
    </FilterForm>
  )
}

type Row = { id: string; label: string; amount: number; workspaceId?: number }
type Payload = Answer<'getCost'>

const shownRows = 20

function servicesOf(services: NonNullable<Payload['spendByService']>): Row[] {
  const rows = services.map(({ provider, service, amount }) => ({
    id: `${provider} ${service}`,
    label: service,
    amount,
  }))
  return withRest(rows)
}

function ownersOf(byOwner: Payload['byOwner']): Row[] {
  if (!byOwner) return []
  const rows: Row[] = [
    ...byOwner.workspaces.map(({ workspaceId, name, amount }) => ({
      id: `${workspaceId}`,
      label: name,
      amount,
      workspaceId,
    })),
    { id: 'unmanaged', label: 'No workspace holds it', amount: byOwner.unmanaged },
    { id: 'unattributed', label: 'Without a resource', amount: byOwner.unattributed },
  ]
  return withRest(
    rows.filter(({ amount }) => amount !== 0).toSorted((one, other) => other.amount - one.amount),
  )
}

function withRest(rows: readonly Row[]): Row[] {
  const others = rows.slice(shownRows)
  if (others.length === 0) return [...rows]
  const amount = others.reduce((sum, row) => sum + row.amount, 0)
  return [...rows.slice(0, shownRows), { id: ' rest', label: `${others.length} others`, amount }]
}

const columnsOf = (title: string, currency: string): ReadonlyArray<Column<Row>> => [
  {
    title,
    render: ({ label, workspaceId }) =>
      workspaceId === undefined ? (
        label
      ) : (
        <Link to="/workspaces/$id" params={{ id: workspaceId }} search={{ tab: 'cost' }}>
          {label}
        </Link>
      ),
  },
  {
    title: 'Cost',
    render: ({ amount }) => <span className="num">{money(amount, currency)}</span>,
  },
]
