import { line } from 'd3-shape'

const [width, height, margin] = [120, 32, 3]

/** A line without axes, for a list. The words beside it have the figure. */
export function SmallLine({ values }: { values: ReadonlyArray<number | null> }) {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return null
  const low = Math.min(0, ...known)
  const high = Math.max(...known)
  const x = (at: number) => margin + (at * (width - 2 * margin)) / (values.length - 1)
  const y = (value: number) =>
    height - margin - ((value - low) / (high - low || 1)) * (height - 2 * margin)
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => x(at))
    .y((value) => y(value ?? 0))([...values])
  return (
    <svg className="small-line" width={width} height={height} aria-hidden="true">
      <path d={path ?? ''} />
    </svg>
  )
}
