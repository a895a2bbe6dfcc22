import type { RunDetail } from '../api/types.ts'
import { Time } from '../parts/time.tsx'

/** All that was done to the run, in order, by whom. */
export function Timeline({ run }: { run: RunDetail }) {
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
