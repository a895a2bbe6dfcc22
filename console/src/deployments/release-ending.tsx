import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import { endWords } from '../api/words.ts'
import { plainText } from '../parts/plain-text.ts'
import { runLook } from '../parts/run-look.ts'
import { Time } from '../parts/time.tsx'
import { RunLink } from '../runs/run-row.tsx'
import { RunViewLink } from '../runs/run-tabs.tsx'
import { warningWords } from './release-words.ts'

type Props = { run: AnyRunDetail; place: RunPlace }

/** How a run ended and why, with the way to the log that says more. */
export function ReleaseEnding({ run, place }: Props) {
  const { state, reason, endMessage } = run
  if (state === 'running' || state === 'succeeded' || reason === null) return null
  const { tone, word } = runLook(run)
  const rejection =
    reason === 'rejected'
      ? run.approvals.findLast(({ decision }) => decision === 'rejected')
      : undefined
  const failed = run.stages.find((stage) => stage.state === 'failed')
  const back = run.deployment?.rolledBackTo
  return (
    <section className={`ending ${tone}`} aria-labelledby="ending-title">
      <h2 id="ending-title">
        {rejection ? (
          <>
            Rejected by {rejection.user}, <Time at={rejection.at} />
          </>
        ) : (
          word
        )}
      </h2>
      {rejection?.comment && (
        <blockquote className="comment">{plainText(rejection.comment)}</blockquote>
      )}
      <p>
        {!rejection && `${endWords(run.kind, reason)} `}
        {!run.deployment && 'No host was changed.'}
      </p>
      {!rejection && endMessage && <p className="message">{endMessage}</p>}
      <p className="next">
        {back != null && (
          <RunLink place={{ kind: 'pipeline', id: place.id, runId: back }}>
            Show the release that came back
          </RunLink>
        )}
        {failed && (
          <RunViewLink place={place} search={{ tab: 'log', stage: failed.name }}>
            Show the log
          </RunViewLink>
        )}
      </p>
    </section>
  )
}

/** What is to be known of a run that goes on or went well. */
export function ReleaseWarnings({ run: { warnings = [] } }: { run: AnyRunDetail }) {
  if (warnings.length === 0) return null
  return (
    <div className="note warn">
      {warnings.map((code) => (
        <p key={code}>{warningWords(code)}</p>
      ))}
    </div>
  )
}
