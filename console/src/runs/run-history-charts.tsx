import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { plural } from '../api/words.ts'
import { BarChart, type Layer } from '../parts/bar-chart.tsx'
import { dayWords } from '../parts/day-words.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { durationText } from '../parts/time.tsx'
import { medianOf, runHistoryQuery, weeksOf, type HistoryDay } from './run-history.ts'

const seconds = (value: number): string => durationText(Math.round(value * 1_000))
const whole = (value: number): string => (Number.isInteger(value) ? value.toLocaleString() : '')

/** How the runs of the last 30 days went: of all workspaces, or of one. Nothing before the first run ended. */
export function RunHistoryCharts({ workspaceId }: { workspaceId?: number }) {
  const query = useQuery(runHistoryQuery(workspaceId))
  const days = query.data?.days ?? []
  const total = days.reduce(
    (sum, day) => sum + day.succeeded + day.failed + day.canceled + day.stopped,
    0,
  )
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {total > 0 && <Charts days={days} total={total} />}
    </>
  )
}

const resultsOf = (days: readonly HistoryDay[]): Layer[] => [
  { label: 'succeeded', color: 'var(--good)', values: days.map(({ succeeded }) => succeeded) },
  { label: 'failed', color: 'var(--bad)', values: days.map((day) => day.failed) },
  {
    label: 'canceled',
    color: 'var(--line-strong)',
    values: days.map(({ canceled }) => canceled),
  },
  {
    label: 'stopped before the apply',
    color: 'var(--warn)',
    values: days.map(({ stopped }) => stopped),
  },
]

function Charts({ days, total }: { days: readonly HistoryDay[]; total: number }) {
  const points = days.map(({ day }) => day)
  const failed = days.reduce((sum, day) => sum + day.failed, 0)
  const lead = days.map(({ leadSeconds }) => leadSeconds)
  const wait = days.map(({ waitSeconds }) => waitSeconds)
  const weeks = weeksOf(days)
  const changes = weeks.reduce((sum, week) => sum + week.changes, 0)
  const medians = { lead: medianOf(lead), wait: medianOf(wait) }
  return (
    <section className="section" aria-label="The last 30 days">
      <h2>The last 30 days</h2>
      <div className="history">
        <Figure
          title="Runs a day"
          figure={`${plural(total, 'run')}, ${failed.toLocaleString()} failed`}
        >
          {(label) => (
            <BarChart points={points} layers={resultsOf(days)} label={label} format={whole} />
          )}
        </Figure>
        {medians.lead !== null && (
          <Figure title="Lead time" figure={`${seconds(medians.lead)} from start to applied`}>
            {(label) => <Medians points={points} values={lead} label={label} />}
          </Figure>
        )}
        {medians.wait !== null && (
          <Figure title="Wait in the queue" figure={`${seconds(medians.wait)} until taken up`}>
            {(label) => <Medians points={points} values={wait} label={label} />}
          </Figure>
        )}
        <Figure title="Changes a week" figure={`${plural(changes, 'resource')} in four weeks`}>
          {(label) => (
            <BarChart
              points={weeks.map(({ from }) => from)}
              layers={[
                {
                  label: 'changes',
                  color: 'var(--series-1)',
                  values: weeks.map((week) => week.changes),
                },
              ]}
              label={label}
              format={whole}
              titleOf={(from) => `Week from ${dayWords(from)}`}
            />
          )}
        </Figure>
      </div>
    </section>
  )
}

type FigureProps = { title: string; figure: string; children: (label: string) => ReactNode }

/** The words say what the picture shows, for everybody. */
const Figure = ({ title, figure, children }: FigureProps) => (
  <div>
    <h3>{title}</h3>
    <p className="dim">{figure}</p>
    {children(`${title}: ${figure}`)}
  </div>
)

type MediansProps = {
  points: readonly string[]
  values: ReadonlyArray<number | null>
  label: string
}

const Medians = ({ points, values, label }: MediansProps) => (
  <BarChart
    points={points}
    layers={[{ label: 'median', color: 'var(--series-1)', values }]}
    label={label}
    format={seconds}
  />
)
