import type { RunDetail, RunPlace } from '../api/types.ts'
import { reasonWords } from '../api/words.ts'
import { plainText } from '../parts/plain-text.ts'
import { runLook } from '../parts/run-look.ts'
import { Time } from '../parts/time.tsx'
import { CompareLink } from './compare-link.tsx'
import { RunDiagnostics } from './run-diagnostics.tsx'
import { RunViewLink } from './run-tabs.tsx'

/** How a run ended, why, and what the person who decided wrote about it. */
export function RunEnding({ run, place }: { run: RunDetail; place: RunPlace }) {
  const { state, reason, endMessage } = run
  if (state === 'running' || state === 'succeeded' || reason === null) return null
  const { tone, word } = runLook(run)
  const rejection = reason === 'rejected' ? rejectionOf(run) : undefined
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
        {!rejection && `${sentenceOf(run, reason)} `}
        {unchanged.has(reason) && 'Nothing was changed.'}
      </p>
      {judged.has(reason) && (
        <p>
          <RunViewLink place={place} search={{ tab: 'checks' }}>
            Show the checks
          </RunViewLink>
        </p>
      )}
      {state === 'failed' && run.diagnostics.length > 0 ? (
        <RunDiagnostics run={run} place={place} />
      ) : (
        !rejection && !judged.has(reason) && endMessage && <p className="message">{endMessage}</p>
      )}
      <CompareLink run={run} place={place} />
    </section>
  )
}

const rejectionOf = ({ approvals }: RunDetail) =>
  approvals.findLast(({ decision }) => decision === 'rejected')

/** The checks name the rule and the resource, so their message is not repeated above them. */
const judged: ReadonlySet<RunDetail['reason']> = new Set([
  'policy_denied',
  'cost_exceeded',
  'cost_unknown',
])

/** One sentence. The message of a policy that could not be evaluated says more than its reason. */
const sentenceOf = ({ endMessage }: RunDetail, reason: NonNullable<RunDetail['reason']>): string =>
  (reason === 'policy_denied' ? endMessage : null) ?? reasonWords[reason]

/** Reasons that end a run before its apply has begun. */
const unchanged: ReadonlySet<RunDetail['reason']> = new Set([
  'policy_denied',
  'cost_exceeded',
  'cost_unknown',
  'plan_errored',
  'plan_forged',
  'plan_too_large',
  'plan_stale',
  'rejected',
  'approval_expired',
  'superseded',
])
