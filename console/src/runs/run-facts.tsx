import type { RunDetail } from '../api/types.ts'
import { voidWords } from '../api/words.ts'
import { CostDelta, Gates } from '../infrastructure/gates.tsx'
import { HeldByBudget } from '../infrastructure/held-by-budget.tsx'
import { RunAnomalies } from './run-anomalies.tsx'
import { Summary } from './run-row.tsx'
import { TemporalLink, useTemporalLink } from './temporal-link.tsx'
import { Time } from '../parts/time.tsx'

/** The summary next to the plan: changes, gates, cost, decisions and source. */
export function RunFacts({ run }: { run: RunDetail }) {
  const over = run.state !== 'running'
  return (
    <aside className="facts" aria-label="Facts of this run">
      <section>
        <h2>Changes</h2>
        {run.summary ? (
          <Summary summary={run.summary} />
        ) : (
          <p className="dim">{over ? 'The run ended before its plan.' : 'Not planned yet.'}</p>
        )}
      </section>
      <section>
        <h2>Checks</h2>
        <Gates run={run} />
      </section>
      <section>
        <h2>Cost</h2>
        <CostDelta value={run.cost} />
        {over && <HeldByBudget run={run} />}
      </section>
      <RunAnomalies run={run} />
      {run.approvals.length > 0 && (
        <section>
          <h2>Decisions</h2>
          <ul className="findings">
            {run.approvals.map((approval) => (
              <li key={approval.at + approval.user}>
                {approval.user} {decidedWords(approval, run)}, <Time at={approval.at} />
                {approval.void && ` (no longer counts: ${voidWords(approval.void.reason)})`}
                {approval.comment && <q>{approval.comment}</q>}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Source</h2>
        <dl className="pairs">
          <dt>Files</dt>
          <dd>
            version {run.configurationVersion}
            {run.commitSha && (
              <>
                {' '}
                of commit <code>{run.commitSha.slice(0, 12)}</code>
              </>
            )}
            {run.pullRequest !== null && `, pull request #${run.pullRequest}`}
          </dd>
          <dt>Digest</dt>
          <dd>
            {run.planDigest ? (
              <code className="digest">{run.planDigest}</code>
            ) : (
              <span className="dim">{over ? 'none' : 'none yet'}</span>
            )}
          </dd>
          <WorkflowFact run={run} />
        </dl>
      </section>
    </aside>
  )
}

const decidedWords = (
  { decision, stage }: RunDetail['approvals'][number],
  { configurationVersion }: RunDetail,
): string =>
  decision === 'approved' && stage === 'plan'
    ? `let version ${configurationVersion} be planned`
    : `${decision} it`

function WorkflowFact({ run }: { run: RunDetail }) {
  if (useTemporalLink(run.workflowId) === undefined) return null
  return (
    <>
      <dt>Workflow</dt>
      <dd>
        <TemporalLink workflowId={run.workflowId}>Open in Temporal’s UI</TemporalLink>
      </dd>
    </>
  )
}
