import { Link } from '@tanstack/react-router'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { daysOfAnomaly } from './anomaly-columns.tsx'
import { costOfDriver, dimensionWords } from './anomaly-words.ts'
import { money } from './money.ts'
import type { Anomaly } from './queries.ts'

type Props = { anomaly: Anomaly }
type DriverRow = Anomaly['drivers'][number] & { id: string }

/** What rose, and the sub-accounts that rose in the same days. */
export function AnomalyDrivers({ anomaly }: Props) {
  const { drivers, children, currency } = anomaly
  const rows = drivers.map((driver) => ({ ...driver, id: `${driver.dimension} ${driver.value}` }))
  return (
    <>
      <section className="section">
        <h2>What rose</h2>
        {rows.length === 0 && (
          <p className="dim quiet-line">
            {anomaly.scope
              ? 'No region, sub-account or tag in the bill explains the difference.'
              : 'No region, SKU, resource or tag in the bill explains the difference.'}
          </p>
        )}
        <DataTable label="What rose" rows={rows} columns={driverColumns(anomaly)} />
      </section>
      {children.length > 0 && (
        <section className="section">
          <h2>Sub-accounts in the same days</h2>
          <DataTable label="Sub-accounts" rows={children} columns={childColumns(currency)} />
        </section>
      )}
    </>
  )
}

const driverColumns = (anomaly: Anomaly): ReadonlyArray<Column<DriverRow>> => [
  {
    title: 'What',
    render: (driver) => {
      const search = costOfDriver(anomaly, driver)
      return (
        <>
          {search ? (
            <Link to="/cost" search={search}>
              {driver.value}
            </Link>
          ) : (
            <code>{driver.value}</code>
          )}
          <span className="row-sub">{dimensionWords[driver.dimension]}</span>
        </>
      )
    },
  },
  {
    title: 'More than before',
    render: ({ amount }) => <span className="num">{money(amount, anomaly.currency)}</span>,
  },
  {
    title: 'Share of the difference',
    look: 'dim',
    render: ({ share }) => <span className="num">{Math.round(100 * share)} %</span>,
  },
]

type Child = Anomaly['children'][number]

const childColumns = (currency: string): ReadonlyArray<Column<Child>> => [
  {
    title: 'Sub-account',
    render: ({ id, subAccountId }) => (
      <Link to="/cost/anomalies/$id" params={{ id }}>
        {subAccountId ?? 'no sub-account'}
      </Link>
    ),
  },
  { title: 'Days', look: 'dim', render: daysOfAnomaly },
  {
    title: 'More than expected',
    render: ({ impact }) => <span className="num">{money(impact, currency)}</span>,
  },
]
