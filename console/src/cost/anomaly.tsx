import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { AnomalyCauses } from './anomaly-causes.tsx'
import { AnomalyChart } from './anomaly-chart.tsx'
import { AnomalyState, daysOfAnomaly } from './anomaly-columns.tsx'
import { AnomalyDrivers } from './anomaly-drivers.tsx'
import { costOfAnomaly, kindWords, nameOfAnomaly, severityWords } from './anomaly-words.ts'
import { dayWords } from '../parts/day-words.ts'
import { AnomalyVerdict } from './decide-anomaly.tsx'
import { money } from './money.ts'
import { anomalyQuery, type AnomalyDetail } from './queries.ts'
import './cost.css'

const route = getRouteApi('/app/cost/anomalies/$id')

/** One anomaly: what it cost, what was expected, what drove it, and what people made of it. */
export function AnomalyPage() {
  const { id } = route.useParams()
  const query = useQuery(anomalyQuery(id))
  const anomaly = query.data?.anomaly
  if (isGone(query.error)) return <Gone what="anomaly" to="/cost/anomalies" list="All anomalies" />
  if (!anomaly)
    return (
      <>
        <PageHead above={<Above />} title="Anomaly" />
        {query.isPending ? (
          <Loading what="the anomaly" />
        ) : (
          <ErrorNote error={query.error} goesOn />
        )}
      </>
    )
  return (
    <>
      <Head anomaly={anomaly} />
      <ErrorNote error={query.error} goesOn />
      <Figures anomaly={anomaly} />
      <Days anomaly={anomaly} />
      <AnomalyDrivers anomaly={anomaly} />
      <AnomalyCauses anomaly={anomaly} />
      <AnomalyVerdict anomaly={anomaly} />
    </>
  )
}

type Props = { anomaly: AnomalyDetail }

const Above = () => (
  <>
    <Link to="/cost">Cost</Link>
    <span aria-hidden="true">/</span>
    <Link to="/cost/anomalies">Anomalies</Link>
  </>
)

function Head({ anomaly }: Props) {
  const { state, severity, kind, accountId, source, subAccountId } = anomaly
  return (
    <PageHead
      above={<Above />}
      title={nameOfAnomaly(anomaly)}
      tabTitle={`${nameOfAnomaly(anomaly)} · Anomaly`}
      actions={
        <Link to="/cost" search={costOfAnomaly(anomaly)} className="button">
          Its cost in these days
        </Link>
      }
    >
      <p className="run-line">
        <AnomalyState state={state} />
        <span className={`tag ${severityWords[severity].tone}`}>
          {severityWords[severity].word}
        </span>
        <span>{kindWords[kind]}</span>
        <span className="dim">{daysOfAnomaly(anomaly)}</span>
        {accountId !== null && (
          <Link to="/clouds/$id" params={{ id: accountId }}>
            Cloud account
          </Link>
        )}
        {source !== null && <span className="dim">upload {source}</span>}
        {subAccountId !== null && <span className="dim">sub-account {subAccountId}</span>}
      </p>
    </PageHead>
  )
}

function Figures({ anomaly: { impact, currency, day, actual, expected, low, high } }: Props) {
  return (
    <dl className="stats">
      <div className="stat">
        <dt>more than expected, in all</dt>
        <dd className="num">{money(impact, currency)}</dd>
      </div>
      <div className="stat">
        <dt>on its dearest day, {dayWords(day)}</dt>
        <dd className="num">{money(actual, currency)}</dd>
      </div>
      <div className="stat">
        <dt>
          expected on that day ({money(low, currency)} to {money(high, currency)} is usual)
        </dt>
        <dd className="num">{money(expected, currency)}</dd>
      </div>
    </dl>
  )
}

function Days({ anomaly }: Props) {
  const { days, firstDay, lastDay, currency, scope, children } = anomaly
  const rows = days.map((day) => ({ id: day.day, ...day }))
  const own = rows.filter(({ id }) => id >= firstDay && id <= lastDay)
  const others = rows.filter(({ id }) => id < firstDay || id > lastDay)
  if (days.length === 0)
    return (
      <p className="note quiet">
        Its days are no longer stored, because the bill that they were in was deleted or replaced.
      </p>
    )
  return (
    <section className="section" aria-label="Cost by day">
      {scope && (
        <p className="section-text dim">
          No single service explains this. What services with an anomaly of their own cost more in
          these days counts as expected here.
        </p>
      )}
      {children.length > 0 && (
        <p className="section-text dim">
          The chart and its table are of one sub-account. The figures above include the sub-accounts
          below.
        </p>
      )}
      <div className="anomaly-columns">
        <AnomalyChart anomaly={anomaly} />
        <div className="anomaly-days">
          <DataTable label="Days of the anomaly" rows={own} columns={dayColumns(currency)} />
        </div>
      </div>
      {others.length > 0 && (
        <details>
          <summary>Figures of the days before and after</summary>
          <DataTable
            label="Days before and after"
            rows={others.toReversed()}
            columns={dayColumns(currency)}
          />
        </details>
      )}
    </section>
  )
}

type DayRow = AnomalyDetail['days'][number] & { id: string }

const dayColumns = (currency: string): ReadonlyArray<Column<DayRow>> => [
  { title: 'Day', render: ({ day }) => dayWords(day) },
  {
    title: 'Cost',
    render: ({ actual }) => <span className="num">{money(actual, currency)}</span>,
  },
  {
    title: 'Expected',
    render: ({ expected }) => <span className="num">{money(expected, currency)}</span>,
  },
  {
    title: 'Usual',
    look: 'dim',
    render: ({ low, high }) => (
      <span className="num">
        {money(low, currency)} to {money(high, currency)}
      </span>
    ),
  },
]
