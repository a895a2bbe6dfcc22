import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { monthWords, sliceStateWords } from './cost-words.ts'
import { money } from './money.ts'
import type { BillSlice, IngestDetail } from './queries.ts'

/** What an ingest made of the months of one source. */
export function BillSlices({ account }: { account: IngestDetail['accounts'][number] }) {
  const { may } = useMe()
  const { name, reason, slices } = account
  const columns: ReadonlyArray<Column<BillSlice> | false> = [
    {
      title: 'Month',
      render: ({ period }) => (period ? monthWords(period) : 'not known'),
    },
    {
      title: 'State',
      render: ({ state, reason: why, errors }) => (
        <>
          <span className={`tag ${sliceStateWords[state].tone}`}>
            {sliceStateWords[state].word}
          </span>
          {why && errors.length === 0 && <span className="row-sub">{why}</span>}
          {errors.map(({ file, row, column, message }) => (
            <span className="row-sub detail" key={`${file} ${row} ${column} ${message}`}>
              {placeOf({ file, row, column })}: {message}
            </span>
          ))}
        </>
      ),
    },
    {
      title: 'Rows',
      render: ({ rowsRead }) => <span className="num">{rowsRead.toLocaleString('en')}</span>,
    },
    {
      title: 'Effective cost',
      render: ({ effective, currency }) =>
        currency ? <span className="num">{money(effective, currency)}</span> : '',
    },
    may('manage_cloud_accounts') && {
      title: 'Actions',
      look: 'actions',
      render: (slice) => slice.state === 'suspect' && <Decide slice={slice} />,
    },
  ]
  return (
    <section className="section">
      <h4>{name}</h4>
      {reason && slices.length === 0 && <p className="dim">{reason}</p>}
      <DataTable label={`Months of ${name}`} rows={slices} columns={columns} />
    </section>
  )
}

const placeOf = ({
  file,
  row,
  column,
}: Pick<BillSlice['errors'][number], 'file' | 'row' | 'column'>) =>
  [file, row !== null && `row ${row}`, column].filter(Boolean).join(', ')

/** A bill that has much less than what it would replace. */
function Decide({ slice: { id, period } }: { slice: BillSlice }) {
  const month = period ? monthWords(period) : 'this month'
  return (
    <>
      <ConfirmButton
        label="Load…"
        name={`Load ${month}`}
        title={`Load the smaller bill of ${month}?`}
        act="Load it"
        run={async () => call('acceptBillSlice', { params: { id } })}
        refresh={['cost']}
      >
        It replaces the cost of {month} of this source, which has more rows, days or cost.
      </ConfirmButton>
      <ConfirmButton
        label="Discard…"
        name={`Discard ${month}`}
        title={`Discard the smaller bill of ${month}?`}
        act="Discard it"
        run={async () => call('discardBillSlice', { params: { id } })}
        refresh={['cost']}
      >
        The cost of {month} stays as it is. A later bill that is whole is loaded by itself.
      </ConfirmButton>
    </>
  )
}
