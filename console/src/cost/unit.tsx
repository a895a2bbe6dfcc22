import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { dayWords } from '../parts/day-words.ts'
import { scopeInWords } from './cost-words.ts'
import { money, unitMoney } from './money.ts'
import { PeriodField } from './period-field.tsx'
import { unitQuery, type Unit, type UnitCost } from './queries.ts'
import { UnconvertedNote } from './unconverted-note.tsx'
import { UnitChart } from './unit-chart.tsx'
import { UnitForm } from './unit-form.tsx'
import { UnitValuesForm } from './unit-values-form.tsx'
import { dayInWords, daysInWords, totalInWords, valueInWords } from './unit-words.ts'
import './cost.css'

const route = getRouteApi('/app/cost/units/$id')

/** What one of a unit costs, by day. The days are in the address. */
export function UnitPage() {
  const { id } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const query = useQuery(unitQuery(id, search))
  const cost = query.data
  if (isGone(query.error)) return <Gone what="unit" to="/cost/units" list="All units" />
  if (!cost)
    return (
      <>
        <PageHead above={<Above />} title="Unit" />
        {query.isPending ? <Loading what="the unit" /> : <ErrorNote error={query.error} goesOn />}
      </>
    )
  return (
    <>
      <Head unit={cost.unit} />
      <ErrorNote error={query.error} goesOn />
      <form className="cost-filter" onSubmit={(event) => event.preventDefault()}>
        <PeriodField
          search={search}
          onShow={(shown) =>
            void navigate({ to: '/cost/units/$id', params: { id }, search: shown })
          }
        />
      </form>
      <Figures cost={cost} />
      <Days cost={cost} />
    </>
  )
}

const Above = () => (
  <>
    <Link to="/cost">Cost</Link>
    <span aria-hidden="true">/</span>
    <Link to="/cost/units">Units</Link>
  </>
)

function Head({ unit }: { unit: Unit }) {
  const { may } = useMe()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<'values' | 'unit'>()
  const close = () => setOpened(undefined)
  const actions = may('mutate_infra') && (
    <>
      <Button tone="primary" onClick={() => setOpened('values')}>
        Add values…
      </Button>
      <Button onClick={() => setOpened('unit')}>Change…</Button>
      <ConfirmButton
        label="Delete…"
        tone="danger"
        title={`Delete ${unit.name}?`}
        act="Delete unit"
        run={async () => call('deleteUnit', { params: { id: unit.id } })}
        refresh={['cost', 'units']}
        onDone={() => navigate({ to: '/cost/units' })}
      >
        Its values are deleted with it. The cost stays.
      </ConfirmButton>
    </>
  )
  return (
    <>
      <PageHead
        above={<Above />}
        title={unit.name}
        tabTitle={`${unit.name} · Unit`}
        actions={actions}
      >
        <p className="run-line">
          <span className="dim">{scopeInWords(unit)}</span>
        </p>
      </PageHead>
      {opened === 'values' && <UnitValuesForm unit={unit} onClose={close} />}
      {opened === 'unit' && <UnitForm unit={unit} onClose={close} />}
    </>
  )
}

function Figures({ cost }: { cost: UnitCost }) {
  const { from, to, total, currency, completeThrough, unconverted, unit } = cost
  return (
    <>
      <dl className="stats">
        <div className="stat">
          <dt>{daysInWords(total)}</dt>
          <dd className="num">{totalInWords(total, { unit: unit.unit, currency })}</dd>
        </div>
        <div className="stat">
          <dt>
            cost from {dayWords(from)} to {dayWords(to)}
          </dt>
          <dd className="num">{money(total.cost, currency)}</dd>
        </div>
        <div className="stat">
          <dt>values in this period</dt>
          <dd className="num">{total.value === null ? 'none' : valueInWords(total.value)}</dd>
        </div>
      </dl>
      {completeThrough !== null && completeThrough < to && (
        <p className="note quiet">
          The bills are complete through {dayWords(completeThrough)}. Later days are not in the cost
          per {unit.unit} of this period.
        </p>
      )}
      <UnconvertedNote unconverted={unconverted} />
    </>
  )
}

function Days({ cost }: { cost: UnitCost }) {
  const { days, unit } = cost
  if (days.every(({ value }) => value === null))
    return (
      <Empty title="No values in this period">
        <p>
          Paste the number of each day here. The <a href="/docs">API reference</a> says how a
          program sends them.
        </p>
      </Empty>
    )
  return (
    <>
      <UnitChart cost={cost} />
      <section className="section">
        <DataTable
          label={`Cost per ${unit.unit} by day`}
          rows={days.map((day) => ({ ...day, id: day.day })).toReversed()}
          columns={columnsOf(cost)}
        />
      </section>
    </>
  )
}

const columnsOf = ({
  unit,
  currency,
}: UnitCost): ReadonlyArray<Column<UnitCost['days'][number]>> => [
  { title: 'Day', render: ({ day }) => dayWords(day) },
  { title: 'Cost', render: ({ cost }) => <span className="num">{money(cost, currency)}</span> },
  {
    title: 'Value',
    render: ({ value }) => (
      <span className="num">{value === null ? 'none' : valueInWords(value)}</span>
    ),
  },
  {
    title: `Cost per ${unit.unit}`,
    render: (day) => (
      <span className="num">{dayInWords(day, (amount) => unitMoney(amount, currency))}</span>
    ),
  },
]
