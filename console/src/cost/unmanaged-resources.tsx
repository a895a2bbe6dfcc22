import { useInfiniteQuery } from '@tanstack/react-query'
import type { Answer } from '../api/call.ts'
import type { UnmanagedSearch } from '../app/searches.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { CopyButton } from '../parts/copy-line.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { dayWords } from '../parts/day-words.ts'
import { money } from './money.ts'
import { noneUnmanagedWords } from './unmanaged-share.ts'
import { unmanagedQuery, type UnmanagedResource } from './queries.ts'

type Props = { search: UnmanagedSearch; cost: Answer<'getCost'> }

/** The resources that no workspace holds, dearest first, each with the block that imports it. */
export function UnmanagedResources({ search, cost }: Props) {
  const query = useInfiniteQuery(unmanagedQuery(search))
  const currency = query.data?.pages[0]?.currency ?? ''
  const rows = query.data?.pages.flatMap((page) => page.resources) ?? []
  return (
    <section className="section">
      <h2>Resources</h2>
      <p className="section-text dim">
        To take a resource over, copy its import block into the files of a workspace and start a
        run.
      </p>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="the resources" />}
      {query.isSuccess && rows.length === 0 && (
        <p className="dim quiet-line">{noneUnmanagedWords(cost)}</p>
      )}
      <DataTable
        label="Resources that no workspace holds"
        rows={rows.map((row) => ({ ...row, id: row.cloudId }))}
        columns={columnsOf(currency)}
      />
      <LoadMore query={query} />
    </section>
  )
}

type Row = UnmanagedResource & { id: string }

const columnsOf = (currency: string): ReadonlyArray<Column<Row>> => [
  {
    title: 'Resource',
    render: ({ name, cloudId, importBlock }) => (
      <>
        {name && name !== cloudId && name}
        <code className="row-sub detail">{cloudId}</code>
        <details>
          <summary>Import block</summary>
          <pre className="import-block">{importBlock}</pre>
        </details>
      </>
    ),
  },
  {
    title: 'Service',
    render: ({ service, region }) => (
      <>
        {service}
        <span className="row-sub">{region ?? 'no region'}</span>
      </>
    ),
  },
  {
    title: 'Tags',
    render: ({ tags }) =>
      Object.entries(tags)
        .slice(0, shownTags)
        .map(([key, value]) => (
          <span key={key} className="tag">
            {value === '' ? key : `${key}=${value}`}
          </span>
        )),
  },
  {
    title: 'Days',
    look: 'dim',
    render: ({ firstDay, lastDay }) =>
      firstDay === lastDay ? dayWords(firstDay) : `${dayWords(firstDay)} to ${dayWords(lastDay)}`,
  },
  {
    title: 'Cost',
    render: ({ amount }) => <span className="num">{money(amount, currency)}</span>,
  },
  {
    title: 'Actions',
    look: 'actions',
    render: ({ importBlock, cloudId }) => (
      <CopyButton text={importBlock} what={`import block of ${cloudId}`} />
    ),
  },
]

const shownTags = 8
