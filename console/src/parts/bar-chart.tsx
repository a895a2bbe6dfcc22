import { scaleBand, scaleLinear } from 'd3-scale'
import { useState, type ReactNode } from 'react'
import { Axes, chartHeight, chartMargin, indexUnder, type Scales } from './chart-axes.tsx'
import { dayWords } from './day-words.ts'
import { useWidth } from './use-width.ts'

export type Layer = { label: string; color: string; values: ReadonlyArray<number | null> }

type Props = {
  /** Days. */
  points: readonly string[]
  /** From the bottom up. */
  layers: readonly Layer[]
  /** What the picture shows, for those who do not see it: its figures too. */
  label: string
  format: (value: number) => string
  /** Above the day under the pointer. */
  titleOf?: (point: string) => ReactNode
}

/** Bars by day, stacked. Values are not negative; a day without one has no bar. */
export function BarChart({ points, layers, label, format, titleOf = dayWords }: Props) {
  const [width, measure] = useWidth(480)
  const [hovered, setHovered] = useState<number>()
  const scales = scalesOf(points, layers, width)
  const { x, y } = scales
  const shown = hovered === undefined ? undefined : points[hovered]
  return (
    <figure className="cost-chart" ref={measure}>
      <svg
        width={width}
        height={chartHeight}
        role="img"
        aria-label={label}
        onPointerMove={(event) => setHovered(indexUnder(event, { x, count: points.length }))}
        onPointerLeave={() => setHovered(undefined)}
      >
        <Axes x={x} y={y} points={points} format={format} width={width} />
        <Bars points={points} layers={layers} scales={scales} />
        {shown !== undefined && (
          <rect
            className="cost-hover"
            x={x(shown)}
            y={chartMargin.top}
            width={x.bandwidth()}
            height={chartHeight - chartMargin.top - chartMargin.bottom}
          />
        )}
      </svg>
      {shown !== undefined && hovered !== undefined && (
        <Figures
          title={titleOf(shown)}
          index={hovered}
          {...{ layers, format }}
          isLeft={hovered > points.length / 2}
        />
      )}
      {layers.length > 1 && (
        <figcaption className="cost-legend">
          {layers.map(({ label: name, color }) => (
            <span key={name}>
              <span className="cost-key" style={{ background: color }} />
              {name}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  )
}

/** The sum of the layers below this one on a day. */
const sumBelow = (layers: readonly Layer[], layer: number, day: number): number =>
  layers.slice(0, layer).reduce((sum, { values }) => sum + (values[day] ?? 0), 0)

function scalesOf(points: readonly string[], layers: readonly Layer[], width: number): Scales {
  const sums = points.map((_, day) => sumBelow(layers, layers.length, day))
  const right = Math.max(chartMargin.left + 1, width - chartMargin.right)
  return {
    x: scaleBand(points, [chartMargin.left, right]).padding(0.2),
    y: scaleLinear(
      [0, Math.max(...sums, 0) || 1],
      [chartHeight - chartMargin.bottom, chartMargin.top],
    ).nice(4),
  }
}

type BarsProps = Pick<Props, 'points' | 'layers'> & { scales: Scales }

const Bars = ({ points, layers, scales: { x, y } }: BarsProps) =>
  layers.map(({ label, color, values }, layer) => (
    <g key={label} fill={color}>
      {points.map((point, day) => {
        const value = values[day] ?? 0
        if (value <= 0) return null
        const below = sumBelow(layers, layer, day)
        return (
          <rect
            key={point}
            x={x(point)}
            y={y(below + value)}
            width={x.bandwidth()}
            height={y(below) - y(below + value)}
          />
        )
      })}
    </g>
  ))

type FiguresProps = Pick<Props, 'layers' | 'format'> & {
  title: ReactNode
  index: number
  isLeft: boolean
}

const Figures = ({ title, index, layers, format, isLeft }: FiguresProps) => (
  <div className={`cost-figures ${isLeft ? 'left' : ''}`} aria-hidden="true">
    <p>
      <strong>{title}</strong>
    </p>
    {layers.map(({ label, color, values }) => {
      const value = values[index]
      return (
        <p key={label}>
          <span className="cost-key" style={{ background: color }} />
          {label}{' '}
          <span className="num">
            {value === null || value === undefined ? 'none' : format(value)}
          </span>
        </p>
      )
    })}
  </div>
)
