import type { Run, Stage } from '../api/types.ts'
import { stageWords } from '../api/words.ts'
import { Duration, Time } from '../parts/time.tsx'

const signs: Record<Stage['state'], string> = {
  pending: '○',
  queued: '○',
  running: '●',
  waiting: '◆',
  succeeded: '✓',
  failed: '✕',
  skipped: '–',
  canceled: '–',
}

/** Only a plan of a standard workspace goes on without a person. */
const approvedBySelf = 'Approved automatically (standard workspace)'

/** The stages of a run with their state, start time and duration. */
export function StageLine({ run }: { run: Pick<Run, 'stages'> }) {
  return (
    <ol className="stages" aria-label="Stages">
      {run.stages.map((stage) => (
        <li key={stage.name} className={`stage ${stage.state}`}>
          <span className="stage-sign" aria-hidden="true">
            {signs[stage.state]}
          </span>
          <span>
            <span className="stage-name">{stage.name}</span>
            <span className="stage-state">
              {stage.by === 'self' ? approvedBySelf : stageWords[stage.state]}
            </span>
            <span className="stage-time dim">
              {stage.startedAt ? (
                <>
                  <Time at={stage.startedAt} />
                  {' · '}
                  <Duration from={stage.startedAt} to={stage.endedAt} />
                </>
              ) : (
                '–'
              )}
            </span>
          </span>
        </li>
      ))}
    </ol>
  )
}
