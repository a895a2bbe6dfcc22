import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { Answer } from '../api/call.ts'
import type { CostSearch } from '../app/searches.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { anomalyColumns } from './anomaly-columns.tsx'
import { nameOfAnomaly } from './anomaly-words.ts'
import { CostChart, type ChartGroup, type ChartMark } from './cost-chart.tsx'
import { CostTabs } from './cost-tabs.tsx'
import { CostFilter } from './cost-filter.tsx'
import { CostGroups } from './cost-groups.tsx'
import { FiguresByDay } from './figures-by-day.tsx'
import { dayWords } from '../parts/day-words.ts'
import { idOfSource, nameOfGroup, restColor, restLabel, windowBefore } from './cost-words.ts'
import { change, money } from './money.ts'
import { costQuery, costSeriesQuery, csvAddress, type Anomaly, type CostSeries } from './queries.ts'
import { sourceColumns } from './source-columns.tsx'
import { UnconvertedNote } from './unconverted-note.tsx'
import './cost.css'

const route = getRouteApi('/app/cost')

/** What the organization spends, by day and by one dimension. All that is chosen is in the address. */
export function CostPage() {
  const search = route.useSearch()
  const payload = useQuery(costQuery(search))
  const series = useQuery(costSeriesQuery(search))
  const isEmpty = payload.data?.empty === true
  return (
    <>
      <PageHead
        title="Cost"
        actions={
          payload.data &&
          !isEmpty && (
            <a className="button" href={csvAddress(search)} download>
              Download CSV
            </a>
          )
        }
      />
      <CostTabs />
      <ErrorNote error={payload.error ?? series.error} goesOn />
      {/* Also without an answer: a date that is refused is corrected here. */}
      {!isEmpty && <CostFilter search={search} window={payload.data ?? {}} />}
      {payload.isPending && <Loading what="the cost" />}
      {isEmpty && <NoCostYet />}
      {!isEmpty && payload.data && (
        <>
          {series.data && <Spend search={search} series={series.data} payload={payload.data} />}
          <Freshness sources={payload.data.freshness ?? []} />
        </>
      )}
    </>
  )
}

function NoCostYet() {
  return (
    <Empty title="No cost yet">
      <p>
        Cost comes from the bills of connected cloud accounts, and from bills in FOCUS form that are
        uploaded.
      </p>
      <p>
        <Link to="/cost/bills" className="button primary">
          Upload a bill
        </Link>{' '}
        <Link to="/clouds" className="button">
          Cloud accounts
        </Link>
      </p>
    </Empty>
  )
}

type SpendProps = {
  search: CostSearch
  series: CostSeries
  payload: Answer<'getCost'>
}

function Spend({ search, series, payload }: SpendProps) {
  const navigate = useNavigate()
  const { anomalies = [], freshness = [] } = payload
  const { from, to, currency, total, points, completeThrough, unconverted } = series
  const asked = { ...series.asked, ...windowBefore(series) }
  const { data, isPlaceholderData } = useQuery(costSeriesQuery(asked, { top: 1 }))
  // Of another window it would be held against the wrong days.
  const before = isPlaceholderData ? undefined : data
  const groups = chartGroupsOf(series)
  const changed = before && change(total, before.total)
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
        <div className="stat">
          <dt>bills are complete through</dt>
          <dd>{completeThrough ? dayWords(completeThrough) : 'no day yet'}</dd>
        </div>
      </dl>
      <UnconvertedNote unconverted={unconverted} />
      <CostChart
        points={points}
        groups={groups}
        before={before ? sumsOf(before) : []}
        marks={marksOf(anomalies)}
        currency={currency}
        completeThrough={completeThrough}
        onDay={(day) => void navigate({ to: '/cost', search: { ...search, from: day, to: day } })}
        onMark={({ id }) => void navigate({ to: '/cost/anomalies/$id', params: { id } })}
      />
      <CostGroups series={series} groups={groups} sources={freshness} />
      <FiguresByDay points={points} groups={groups} currency={currency} search={series.asked} />
      <Anomalies anomalies={anomalies} window={series} />
    </>
  )
}

/** A day has one mark: that of its dearest anomaly. */
function marksOf(anomalies: readonly Anomaly[]): ReadonlyMap<string, ChartMark> {
  const dearest = anomalies.toSorted((one, other) => one.impact - other.impact)
  return new Map(
    dearest.map((anomaly) => [
      anomaly.day,
      {
        id: anomaly.id,
        text: `${nameOfAnomaly(anomaly)}: ${money(anomaly.impact, anomaly.currency)} more than expected`,
      },
    ]),
  )
}

const shownAnomalies = 10

type AnomaliesProps = { anomalies: readonly Anomaly[]; window: { from: string; to: string } }

function Anomalies({ anomalies, window: { from, to } }: AnomaliesProps) {
  if (anomalies.length === 0) return null
  return (
    <section className="section">
      <h2>Anomalies</h2>
      <DataTable
        label="Anomalies in this period"
        rows={anomalies.slice(0, shownAnomalies)}
        columns={anomalyColumns}
      />
      {anomalies.length > shownAnomalies && (
        <p className="section-text">
          <Link to="/cost/anomalies" search={{ state: 'all', from, to }}>
            All anomalies of this period
          </Link>
        </p>
      )}
    </section>
  )
}

const sumsOf = ({ points, groups, rest }: CostSeries): number[] =>
  points.map((_, index) =>
    groups.reduce((sum, { amounts }) => sum + (amounts[index] ?? 0), rest.amounts[index] ?? 0),
  )

/** Told apart by hue and lightness, in both themes; the last one is everything else. */
const colorOf = (index: number): string => `var(--series-${index + 1})`

function chartGroupsOf({ groups, rest, groupBy }: CostSeries): ChartGroup[] {
  const shown = groups.map(({ label, amounts }, index) => ({
    label: nameOfGroup(groupBy, label),
    amounts,
    color: colorOf(index),
  }))
  if (rest.groups === 0) return shown
  return [...shown, { label: restLabel(rest), amounts: rest.amounts, color: restColor }]
}

type Source = NonNullable<Answer<'getCost'>['freshness']>[number]

function Freshness({ sources }: { sources: readonly Source[] }) {
  return (
    <section className="section">
      <h2>Bills</h2>
      <DataTable
        label="Bills"
        rows={sources.map((source) => ({ ...source, id: idOfSource(source) }))}
        columns={sourceColumns}
      />
    </section>
  )
}
