import type { Run, Stage } from '../api/types.ts'
import { stageWords } from '../api/words.ts'
import type { IconName } from '../parts/icon-shapes.ts'
import { Icon } from '../parts/icon.tsx'
import { runLook } from '../parts/run-look.ts'
import { Duration, Time } from '../parts/time.tsx'
import { stagesWithChecks } from './checks-of.ts'

const icons: Record<Stage['state'], IconName> = {
  pending: 'queued',
  queued: 'queued',
  running: 'running',
  waiting: 'waiting',
  succeeded: 'done',
  failed: 'failed',
  skipped: 'none',
  canceled: 'none',
}

/** What let a stage go on without a person. */
const goneOn: Readonly<Record<string, string>> = {
  self: 'Approved automatically (standard workspace)',
  approved_before: 'approved before, when this release was deployed here',
  release: 'no target: the artifact is kept',
}

/** The stages of a run with their state, start time and duration. */
export function StageLine({ run }: { run: Run }) {
  return (
    <ol className="stages" aria-label="Stages">
      {stagesWithChecks(run).map((stage) => (
        <li key={stage.name} className={`stage ${stage.state}`}>
          <span className="stage-sign">
            <Icon name={icons[stage.state]} />
          </span>
          <span>
            <span className="stage-name">{stage.name}</span>
            <span className="stage-state">
              {goneOn[stage.by ?? ''] ?? stage.words ?? wordOf(stage, run)}
            </span>
            <span className="stage-time dim">
              {stage.startedAt ? (
                <>
                  <Time at={stage.startedAt} />
                  {stage.name !== 'checks' && (
                    <>
                      {' · '}
                      <Duration from={stage.startedAt} to={stage.endedAt} />
                    </>
                  )}
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

/** A rejection and an expiry are not a failure. */
function wordOf({ name, state }: Pick<Stage, 'name' | 'state'>, run: Run): string {
  return name === 'approve' && state === 'failed'
    ? runLook(run).word.toLowerCase()
    : stageWords[state]
}
