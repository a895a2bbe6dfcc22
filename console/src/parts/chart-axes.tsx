import type { ScaleBand, ScaleLinear } from 'd3-scale'
import { dayWords } from './day-words.ts'

export const chartHeight = 260
export const chartMargin = { top: 14, right: 4, bottom: 22, left: 58 }

export type Scales = { x: ScaleBand<string>; y: ScaleLinear<number, number> }
type AxesProps = Scales & {
  points: readonly string[]
  /** The text of a line. */
  format: (value: number) => string
  width: number
}

/** The lines with their values, and the days below. */
export function Axes({ x, y, points, format, width }: AxesProps) {
  const each = Math.max(1, Math.ceil(points.length / Math.max(2, Math.floor(width / 90))))
  return (
    <g className="chart-axes" aria-hidden="true">
      {y.ticks(4).map((tick) => (
        <g key={tick}>
          <line x1={chartMargin.left} x2={width - chartMargin.right} y1={y(tick)} y2={y(tick)} />
          <text x={chartMargin.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {points.map((point, index) =>
        index % each === 0 && (index === 0 || index + each / 2 <= points.length) ? (
          <text key={point} x={x(point)} y={chartHeight - 6}>
            {dayWords(point).replace(/, \d+$/, '')}
          </text>
        ) : null,
      )}
    </g>
  )
}

/** The middle of a day's place. */
export const middleOf = (x: ScaleBand<string>, point: string): number =>
  (x(point) ?? 0) + x.bandwidth() / 2

/** The day under the pointer, by its position. */
export function indexUnder(
  event: { clientX: number; currentTarget: Element },
  { x, count }: { x: ScaleBand<string>; count: number },
): number | undefined {
  const { left } = event.currentTarget.getBoundingClientRect()
  const index = Math.floor((event.clientX - left - chartMargin.left) / x.step())
  return index >= 0 && index < count ? index : undefined
}
