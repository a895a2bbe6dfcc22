import { scaleBand, scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import { useState } from 'react'
import {
  Axes,
  chartHeight,
  chartMargin,
  indexUnder,
  middleOf,
  type Scales,
} from '../parts/chart-axes.tsx'
import { dayWords } from '../parts/day-words.ts'
import { compactMoney, money } from './money.ts'
import type { AnomalyDetail } from './queries.ts'
import { useWidth } from '../parts/use-width.ts'

type Day = AnomalyDetail['days'][number]
type Props = { anomaly: Pick<AnomalyDetail, 'days' | 'firstDay' | 'lastDay' | 'currency'> }

/**
 * The cost of each day before the band of what was expected, the days of the anomaly in another colour. It is
 * a picture; the table beside it has the same figures for everybody.
 */
export function AnomalyChart({ anomaly: { days, firstDay, lastDay, currency } }: Props) {
  const [width, measure] = useWidth(640)
  const [hovered, setHovered] = useState<number>()
  const { x, y } = scalesOf(days, width)
  const points = days.map(({ day }) => day)
  const isIn = ({ day }: Day) => day >= firstDay && day <= lastDay
  const barsOf = (shown: readonly Day[]) => pathOfBars(shown, { x, y })
  const shown = hovered === undefined ? undefined : days[hovered]
  return (
    <figure className="cost-chart" ref={measure}>
      <svg
        width={width}
        height={chartHeight}
        role="img"
        aria-label={`Cost by day with what was expected, from ${dayWords(points[0] ?? '')} to ${dayWords(points.at(-1) ?? '')}. The table beside it has the figures.`}
        onPointerMove={(event) => setHovered(indexUnder(event, { x, count: days.length }))}
        onPointerLeave={() => setHovered(undefined)}
      >
        <Axes
          x={x}
          y={y}
          points={points}
          format={(value) => compactMoney(value, currency)}
          width={width}
        />
        <path className="anomaly-usual" d={barsOf(days.filter((day) => !isIn(day)))} />
        <path className="anomaly-excess" d={barsOf(days.filter(isIn))} />
        <path className="anomaly-band" d={bandOf(days, { x, y })} />
        <path className="anomaly-expected" d={expectedOf(days, { x, y })} />
        {shown && (
          <rect
            className="cost-hover"
            x={x(shown.day)}
            y={chartMargin.top}
            width={x.bandwidth()}
            height={chartHeight - chartMargin.top - chartMargin.bottom}
          />
        )}
      </svg>
      {shown && (
        <DayFigures day={shown} currency={currency} left={days.indexOf(shown) > days.length / 2} />
      )}
      <figcaption className="cost-legend">
        <span>
          <span className="cost-key anomaly-key-excess" />
          days of the anomaly
        </span>
        <span>
          <span className="cost-key anomaly-key-usual" />
          other days
        </span>
        <span>
          <span className="cost-key anomaly-key-band" />
          what is usual
        </span>
      </figcaption>
    </figure>
  )
}

function scalesOf(days: readonly Day[], width: number): Scales {
  const low = days.reduce((least, day) => Math.min(least, day.actual, day.low), 0)
  const high = days.reduce((most, day) => Math.max(most, day.actual, day.high), 0)
  const right = Math.max(chartMargin.left + 1, width - chartMargin.right)
  return {
    x: scaleBand(
      days.map(({ day }) => day),
      [chartMargin.left, right],
    ).padding(days.length > 120 ? 0.05 : 0.18),
    y: scaleLinear([low, high || 1], [chartHeight - chartMargin.bottom, chartMargin.top]).nice(5),
  }
}

const pathOfBars = (days: readonly Day[], { x, y }: Scales): string =>
  days
    .map(({ day, actual }) => {
      const [from, to] = [y(0), y(actual)]
      return `M${(x(day) ?? 0).toFixed(1)} ${from.toFixed(1)}h${x.bandwidth().toFixed(1)}v${(to - from).toFixed(1)}h${(-x.bandwidth()).toFixed(1)}z`
    })
    .join('')

/** As wide as its days: the band of a single day is one bar. */
const edgesOf = (days: readonly Day[], { x }: Scales) =>
  days.flatMap((day) => {
    const middle = middleOf(x, day.day)
    return [
      { day, at: middle - x.step() / 2 },
      { day, at: middle + x.step() / 2 },
    ]
  })

const bandOf = (days: readonly Day[], scales: Scales): string =>
  area<{ day: Day; at: number }>()
    .x(({ at }) => at)
    .y0(({ day }) => scales.y(day.low))
    .y1(({ day }) => scales.y(day.high))(edgesOf(days, scales)) ?? ''

const expectedOf = (days: readonly Day[], scales: Scales): string =>
  line<{ day: Day; at: number }>()
    .x(({ at }) => at)
    .y(({ day }) => scales.y(day.expected))(edgesOf(days, scales)) ?? ''

type FiguresProps = { day: Day; currency: string; left: boolean }

function DayFigures({ day, currency, left }: FiguresProps) {
  return (
    <div className={`cost-figures ${left ? 'left' : ''}`} aria-hidden="true">
      <p>
        {dayWords(day.day)} <strong className="num">{money(day.actual, currency)}</strong>
      </p>
      <p>
        expected <span className="num">{money(day.expected, currency)}</span>
      </p>
      <p>
        {money(day.low, currency)} to {money(day.high, currency)} is usual
      </p>
    </div>
  )
}
