import { scaleBand, scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
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
import type { UnitCost } from './queries.ts'
import { dayInWords, perUnit, valueInWords } from './unit-words.ts'
import { useWidth } from '../parts/use-width.ts'

type Day = UnitCost['days'][number]
type Props = { cost: Pick<UnitCost, 'days' | 'currency' | 'unit'> }

/**
 * What one cost on each day: a line, with a hole where there is no value, and where the bills are not complete. It is a
 * picture; the table below it has the same figures for everybody.
 */
export function UnitChart({ cost: { days: all, currency, unit } }: Props) {
  const days = all.map((day) => (day.isComplete ? day : { ...day, costPerUnit: null }))
  const [width, measure] = useWidth(720)
  const [hovered, setHovered] = useState<number>()
  const { x, y } = scalesOf(days, width)
  const points = days.map(({ day }) => day)
  const shown = hovered === undefined ? undefined : days[hovered]
  return (
    <figure className="cost-chart" ref={measure}>
      <svg
        width={width}
        height={chartHeight}
        role="img"
        aria-label={`Cost per ${unit.unit} by day from ${dayWords(points[0] ?? '')} to ${dayWords(points.at(-1) ?? '')}. The table below has the figures.`}
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
        <path className="unit-line" d={lineOf(days, { x, y })} />
        {aloneIn(days).map(({ day, costPerUnit }) => (
          <circle
            key={day}
            className="unit-point"
            cx={middleOf(x, day)}
            cy={y(costPerUnit ?? 0)}
            r={2.5}
          />
        ))}
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
        <DayFigures
          day={shown}
          of={{ unit: unit.unit, currency }}
          left={days.indexOf(shown) > days.length / 2}
        />
      )}
    </figure>
  )
}

function scalesOf(days: readonly Day[], width: number): Scales {
  const amounts = days.map(({ costPerUnit }) => costPerUnit ?? 0)
  const low = amounts.reduce((one, other) => Math.min(one, other), 0)
  const high = amounts.reduce((one, other) => Math.max(one, other), 0)
  const right = Math.max(chartMargin.left + 1, width - chartMargin.right)
  return {
    x: scaleBand(
      days.map(({ day }) => day),
      [chartMargin.left, right],
    ).padding(days.length > 120 ? 0.05 : 0.18),
    y: scaleLinear([low, high || 1], [chartHeight - chartMargin.bottom, chartMargin.top]).nice(5),
  }
}

const lineOf = (days: readonly Day[], { x, y }: Scales): string =>
  line<Day>()
    .defined(({ costPerUnit }) => costPerUnit !== null)
    .x(({ day }) => middleOf(x, day))
    .y(({ costPerUnit }) => y(costPerUnit ?? 0))([...days]) ?? ''

/** A line does not show a day between two holes. */
const aloneIn = (days: readonly Day[]): Day[] => {
  const isKnown = (day: Day | undefined) => day !== undefined && day.costPerUnit !== null
  return days.filter((day, at) => isKnown(day) && !isKnown(days[at - 1]) && !isKnown(days[at + 1]))
}

type FiguresProps = { day: Day; of: { unit: string; currency: string }; left: boolean }

function DayFigures({ day: one, of, left }: FiguresProps) {
  const { day, cost, value } = one
  return (
    <div className={`cost-figures ${left ? 'left' : ''}`} aria-hidden="true">
      <p>
        {dayWords(day)}{' '}
        <strong className="num">{dayInWords(one, (amount) => perUnit(amount, of))}</strong>
      </p>
      <p>
        cost <span className="num">{money(cost, of.currency)}</span>
      </p>
      <p>
        value <span className="num">{value === null ? 'none' : valueInWords(value)}</span>
      </p>
    </div>
  )
}
