import { scaleBand, scaleLinear } from 'd3-scale'
import { stack, stackOffsetDiverging, type SeriesPoint } from 'd3-shape'
import { memo, useMemo, useState } from 'react'
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
import { useWidth } from '../parts/use-width.ts'

export type ChartGroup = { label: string; amounts: readonly number[]; color: string }
/** What is told of a day above its bar. */
export type ChartMark = { id: number; text: string }
type Props = {
  points: readonly string[]
  groups: readonly ChartGroup[]
  /** The sums of the period before, by position; the line behind the bars. */
  before: readonly number[]
  /** Anomalies by the day of their mark. */
  marks: ReadonlyMap<string, ChartMark>
  currency: string
  /** Days after this one are not whole yet. */
  completeThrough?: string | null
  /** Called with the day of a bar that is clicked. */
  onDay: (day: string) => void
  /** Called with the mark that is clicked. */
  onMark?: (mark: ChartMark) => void
}

/**
 * Bars by day, stacked by group: credits below zero. It is a picture for the eye and the pointer; the table
 * beside it has the same figures for everybody.
 */
export function CostChart(props: Props) {
  const { points, groups, before, marks, currency, completeThrough, onDay, onMark } = props
  const [width, measure] = useWidth(720)
  const [hovered, setHovered] = useState<number>()
  const layers = useMemo(() => layersOf(points, groups), [points, groups])
  const scales = useMemo(
    () => scalesOf({ points, layers, before, width }),
    [points, layers, before, width],
  )
  const { x } = scales
  const unfinished = completeThrough ? points.find((point) => point > completeThrough) : undefined
  // None where the pointer still lies over a day that a click has narrowed away.
  const shown = hovered === undefined ? undefined : points[hovered]
  return (
    <figure className="cost-chart" ref={measure}>
      <svg
        width={width}
        height={chartHeight}
        role="img"
        aria-label={`Spend by day from ${dayWords(points[0] ?? '')} to ${dayWords(points.at(-1) ?? '')}. The table below has the figures.`}
        onPointerMove={(event) => setHovered(indexUnder(event, { x, count: points.length }))}
        onPointerLeave={() => setHovered(undefined)}
        onClick={(event) => {
          const marked =
            event.target instanceof SVGElement ? event.target.dataset['day'] : undefined
          const mark = marked === undefined ? undefined : marks.get(marked)
          // A finger moves over nothing before it taps.
          const day = points[indexUnder(event, { x, count: points.length }) ?? -1]
          if (mark && onMark) onMark(mark)
          else if (day !== undefined) onDay(day)
        }}
      >
        <Bars {...{ points, groups, layers, before, scales, currency, width }} />
        {unfinished !== undefined && <Unfinished from={x(unfinished) ?? 0} width={width} />}
        {shown !== undefined && (
          <rect
            className="cost-hover"
            x={x(shown)}
            y={chartMargin.top}
            width={x.bandwidth()}
            height={chartHeight - chartMargin.top - chartMargin.bottom}
          />
        )}
        {points.map((point) =>
          marks.has(point) ? (
            <text key={point} className="cost-mark" data-day={point} x={middleOf(x, point)} y={11}>
              ▼
            </text>
          ) : null,
        )}
      </svg>
      {hovered !== undefined && shown !== undefined && (
        <DayFigures {...{ points, groups, currency, marks, index: hovered }} />
      )}
      <Legend before={before} marks={marks} unfinished={unfinished} />
    </figure>
  )
}

type BarsProps = Pick<Props, 'points' | 'groups' | 'before' | 'currency'> & {
  layers: readonly Layer[]
  scales: Scales
  width: number
}

/** All that stays as it is while the pointer moves over the chart. */
const Bars = memo(function Bars(props: BarsProps) {
  const { points, groups, before, currency, layers, scales, width } = props
  return (
    <>
      <Axes
        {...scales}
        points={points}
        format={(value) => compactMoney(value, currency)}
        width={width}
      />
      {layers.map((layer, index) => (
        <path
          key={`${index} ${groups[index]?.label}`}
          d={barsOf(layer, points, scales)}
          fill={groups[index]?.color}
        />
      ))}
      <path className="cost-before" d={lineOf(before, points, scales)} />
    </>
  )
})

/** Over the days whose bills are not complete: they look cheaper than they will be. */
function Unfinished({ from, width }: { from: number; width: number }) {
  return (
    <rect
      className="cost-unfinished"
      x={from}
      y={chartMargin.top}
      width={Math.max(0, width - chartMargin.right - from)}
      height={chartHeight - chartMargin.top - chartMargin.bottom}
    />
  )
}

type LegendProps = Pick<Props, 'before' | 'marks'> & { unfinished: string | undefined }

/** What is no group: those are in the table below. */
function Legend({ before, marks, unfinished }: LegendProps) {
  const hasBefore = before.some((amount) => amount !== 0)
  if (!hasBefore && marks.size === 0 && unfinished === undefined) return null
  return (
    <figcaption className="cost-legend">
      {hasBefore && (
        <span>
          <span className="cost-key cost-key-before" />
          the days before
        </span>
      )}
      {marks.size > 0 && (
        <span>
          <span className="cost-key-mark">▼</span>
          anomaly
        </span>
      )}
      {unfinished !== undefined && (
        <span>
          <span className="cost-key cost-key-unfinished" />
          bills are not complete yet
        </span>
      )}
    </figcaption>
  )
}

type Layer = ReadonlyArray<SeriesPoint<number>>

function layersOf(points: readonly string[], groups: readonly ChartGroup[]): Layer[] {
  const stacked = stack<unknown, number, number>()
    .keys(groups.keys())
    .value((index, group) => groups[group]?.amounts[index] ?? 0)
    .offset(stackOffsetDiverging)
  return stacked(points.keys())
}

type Extent = {
  points: readonly string[]
  layers: readonly Layer[]
  before: readonly number[]
  width: number
}

function scalesOf({ points, layers, before, width }: Extent): Scales {
  const ends = layers.flatMap((layer) => layer.flatMap(([low, high]) => [low, high]))
  const values = [0, ...ends, ...before.slice(0, points.length)]
  const low = values.reduce((one, other) => Math.min(one, other), 0)
  const high = values.reduce((one, other) => Math.max(one, other), 0)
  return {
    x: scaleBand(points, [
      chartMargin.left,
      Math.max(chartMargin.left + 1, width - chartMargin.right),
    ]).padding(points.length > 120 ? 0.05 : 0.18),
    y: scaleLinear([low, high || 1], [chartHeight - chartMargin.bottom, chartMargin.top]).nice(5),
  }
}

/** One path for all bars of a group, for a year of fifty groups is drawn in one go. */
const barsOf = (layer: Layer, points: readonly string[], { x, y }: Scales): string =>
  layer
    .map(([low, high], index) => {
      const bottom = y(low)
      const tall = bottom - y(high)
      if (Math.abs(tall) < 0.05) return ''
      return `M${(x(points[index] ?? '') ?? 0).toFixed(1)} ${bottom.toFixed(1)}h${x.bandwidth().toFixed(1)}v${(-tall).toFixed(1)}h${(-x.bandwidth()).toFixed(1)}z`
    })
    .join('')

const lineOf = (amounts: readonly number[], points: readonly string[], { x, y }: Scales): string =>
  amounts
    .slice(0, points.length)
    .map((amount, index) => {
      const middle = middleOf(x, points[index] ?? '').toFixed(1)
      return `${index === 0 ? 'M' : 'L'}${middle} ${y(amount).toFixed(1)}`
    })
    .join('')

type FiguresProps = Pick<Props, 'points' | 'groups' | 'currency' | 'marks'> & { index: number }

/** What the bar under the pointer consists of, dearest first. */
function DayFigures({ points, groups, currency, marks, index }: FiguresProps) {
  const rows = groups
    .map(({ label, color, amounts }) => ({ label, color, amount: amounts[index] ?? 0 }))
    .filter(({ amount }) => amount !== 0)
    .toSorted((one, other) => other.amount - one.amount)
  const total = rows.reduce((sum, { amount }) => sum + amount, 0)
  const mark = marks.get(points[index] ?? '')
  return (
    <div className={`cost-figures ${index > points.length / 2 ? 'left' : ''}`} aria-hidden="true">
      <p>
        {dayWords(points[index] ?? '')} <strong className="num">{money(total, currency)}</strong>
      </p>
      {rows.map(({ label, color, amount }) => (
        <p key={label}>
          <span className="cost-key" style={{ background: color }} />
          {label} <span className="num">{money(amount, currency)}</span>
        </p>
      ))}
      {mark && <p className="bad-text">▼ {mark.text}</p>}
    </div>
  )
}
