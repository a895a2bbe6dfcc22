import type { AnyRunDetail } from '../api/types.ts'
import { Time } from '../parts/time.tsx'

/** The audit entries of the run in order, with their actors. */
export function Timeline({ run }: { run: Pick<AnyRunDetail, 'timeline'> }) {
  return (
    <ol className="timeline">
      {run.timeline.map((entry) => (
        <li key={entry.at + entry.event}>
          <Time at={entry.at} />
          <span>{entry.event.replace(/^\w+\./, '').replaceAll('_', ' ')}</span>
          <span className="dim">{entry.actor}</span>
        </li>
      ))}
    </ol>
  )
}
