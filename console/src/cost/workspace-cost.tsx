import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { CostSearch, WorkspaceSearch } from '../app/searches.ts'
import type { Workspace } from '../api/types.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { CostChart, type ChartGroup } from './cost-chart.tsx'
import { dayWords } from '../parts/day-words.ts'
import { windowBefore } from './cost-words.ts'
import { FiguresByDay } from './figures-by-day.tsx'
import { change, money } from './money.ts'
import { PeriodField } from './period-field.tsx'
import { workspaceCostQuery, type WorkspaceCost } from './queries.ts'
import { UnconvertedNote } from './unconverted-note.tsx'
import './cost.css'

type Props = { workspace: Workspace; search: Pick<WorkspaceSearch, 'from' | 'to'> }

/** What the resources of one workspace cost on the days on which they were its. */
export function WorkspaceCostTab({ workspace: { id }, search }: Props) {
  const navigate = useNavigate()
  const query = useQuery(workspaceCostQuery(id, search))
  const cost = query.data
  return (
    <>
      <form className="cost-filter" onSubmit={(event) => event.preventDefault()}>
        <PeriodField
          search={search}
          onShow={({ from, to }) =>
            void navigate({
              to: '/workspaces/$id',
              params: { id },
              search: { tab: 'cost', ...(from && { from }), ...(to && { to }) },
            })
          }
        />
      </form>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="the cost" />}
      {cost && <Spend id={id} cost={cost} />}
    </>
  )
}

function Spend({ id, cost }: { id: number; cost: WorkspaceCost }) {
  const navigate = useNavigate()
  const { from, to, currency, total, daily, unconverted } = cost
  const { data, isPlaceholderData } = useQuery(workspaceCostQuery(id, windowBefore(cost)))
  // Of another window it would be held against the wrong days.
  const before = isPlaceholderData ? undefined : data
  const changed = before && change(total, before.total)
  const search: CostSearch = { workspaceId: id, from, to }
  if (daily.every(({ amount }) => amount === 0) && unconverted.length === 0)
    return (
      <Empty title="No cost in this period">
        <p>
          Cost is shown here once a bill names a resource that the state of this workspace holds.
        </p>
        <Link to="/cost/unmanaged" className="button">
          What no workspace holds
        </Link>
      </Empty>
    )
  return (
    <>
      <dl className="stats">
        <div className="stat">
          <dt>
            {dayWords(from)} to {dayWords(to)}
          </dt>
          <dd className="num">
            {money(total, currency)}
            {changed && <span className="cost-change">{changed}</span>}
          </dd>
        </div>
        <div className="stat">
          <dt>the same number of days before</dt>
          <dd className="num">{before ? money(before.total, currency) : '…'}</dd>
        </div>
      </dl>
      <UnconvertedNote unconverted={unconverted} />
      <CostChart
        points={daily.map(({ day }) => day)}
        groups={[groupOf(cost)]}
        before={before ? before.daily.map(({ amount }) => amount) : []}
        marks={noMarks}
        currency={currency}
        onDay={(day) => void navigate({ to: '/cost', search: { ...search, from: day, to: day } })}
      />
      <p className="section-text">
        <Link to="/cost" search={search}>
          By service, region and tag
        </Link>
      </p>
      <Tables id={id} cost={cost} />
    </>
  )
}

const noMarks = new Map()

const groupOf = ({ daily }: WorkspaceCost): ChartGroup => ({
  label: 'Cost',
  amounts: daily.map(({ amount }) => amount),
  color: 'var(--series-1)',
})

function Tables({ id, cost }: { id: number; cost: WorkspaceCost }) {
  const { currency, byService, daily } = cost
  const services = byService.map((one) => ({ ...one, id: `${one.provider} ${one.service}` }))
  const amount: Column<{ amount: number }> = {
    title: 'Cost',
    render: (row) => <span className="num">{money(row.amount, currency)}</span>,
  }
  return (
    <>
      <section className="section">
        <DataTable
          label="Cost by service"
          rows={services}
          columns={[{ title: 'Service', render: ({ service }) => service }, amount]}
        />
        <FiguresByDay
          points={daily.map(({ day }) => day)}
          groups={[groupOf(cost)]}
          currency={currency}
          search={{ workspaceId: id }}
        />
      </section>
      <Resources cost={cost} />
    </>
  )
}

/** The API lists so many of the dearest. */
const mostResources = 1_000

function Resources({ cost: { resources, currency } }: { cost: WorkspaceCost }) {
  return (
    <section className="section">
      <h2>Resources</h2>
      {resources.length >= mostResources && (
        <p className="section-text dim">The {mostResources.toLocaleString('en')} dearest ones.</p>
      )}
      <DataTable
        label="Cost by resource"
        rows={resources.map((one) => ({ ...one, id: `${one.address} ${one.cloudId}` }))}
        columns={[
          {
            title: 'Resource',
            render: ({ address, cloudId }) => (
              <>
                <code className="address">{address}</code>
                <code className="row-sub detail">{cloudId}</code>
              </>
            ),
          },
          {
            title: 'Cost',
            render: ({ amount }) => <span className="num">{money(amount, currency)}</span>,
          },
        ]}
      />
    </section>
  )
}
