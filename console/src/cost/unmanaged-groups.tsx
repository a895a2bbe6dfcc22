import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CostSearch, UnmanagedSearch } from '../app/searches.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { narrowed } from './cost-words.ts'
import { money } from './money.ts'
import { costSeriesQuery } from './queries.ts'

const shownGroups = 20
const shownFirst = 8

/** Unmanaged cost by service and by account. A name narrows the page. */
export function UnmanagedGroups({ search }: { search: UnmanagedSearch }) {
  return (
    <div className="cost-halves">
      <Groups search={search} groupBy="service" title="By service" />
      <Groups search={search} groupBy="account" title="By account" />
    </div>
  )
}

type GroupsProps = { search: UnmanagedSearch; groupBy: 'service' | 'account'; title: string }
type Row = { id: string; label: string; amount: number; narrow: CostSearch | undefined }

function Groups({ search, groupBy, title }: GroupsProps) {
  const [all, setAll] = useState(false)
  const query = useQuery(
    costSeriesQuery({ ...search, groupBy, owner: 'unmanaged' }, { top: shownGroups }),
  )
  const series = query.data
  const rows: Row[] = (series?.groups ?? []).map((group) => ({
    // An account and an upload can have the same key.
    id: `${group.key} ${group.label}`,
    label: group.label,
    amount: group.total,
    narrow: series && narrowOf(search, narrowed(search, series, group)),
  }))
  if (series && series.rest.groups > 0)
    rows.push({
      id: ' rest',
      label: series.rest.groups === 1 ? '1 other' : `${series.rest.groups} others`,
      amount: series.rest.total,
      narrow: undefined,
    })
  return (
    <section className="section">
      <h2>{title}</h2>
      <ErrorNote error={query.error} goesOn />
      {series && rows.length === 0 && <p className="dim quiet-line">None in this period.</p>}
      <DataTable
        label={`Unmanaged cost ${title.toLowerCase()}`}
        rows={all ? rows : rows.slice(0, shownFirst)}
        columns={columnsOf(groupBy === 'service' ? 'Service' : 'Account', series?.currency ?? '')}
      />
      {!all && rows.length > shownFirst && (
        <div className="more">
          <Button onClick={() => setAll(true)}>
            Show {rows.length - shownFirst} more: {title.toLowerCase()}
          </Button>
        </div>
      )}
    </section>
  )
}

/** The page has its own groups. */
function narrowOf(search: UnmanagedSearch, found: CostSearch | undefined): CostSearch | undefined {
  if (!found) return undefined
  const { groupBy: _groupBy, ...narrow } = found
  return { ...search, ...narrow }
}

const columnsOf = (title: string, currency: string): ReadonlyArray<Column<Row>> => [
  {
    title,
    render: ({ label, narrow }) =>
      narrow ? (
        <Link to="/cost/unmanaged" search={narrow}>
          {label}
        </Link>
      ) : (
        label
      ),
  },
  {
    title: 'Cost',
    render: ({ amount }) => <span className="num">{money(amount, currency)}</span>,
  },
]
