import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { outputsQuery, workspaceQuery } from '../api/queries.ts'
import type { RunDetail } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { plainText } from '../parts/plain-text.ts'
import { Duration, Time } from '../parts/time.tsx'
import { OutputTable } from '../workspaces/output-table.tsx'
import { stateSince } from './state-since.ts'
import { summaryInWords } from './summary-words.ts'

type Props = { run: RunDetail }

/** What a run that succeeded did, what it leaves, and what is next. */
export function RunSuccess({ run }: Props) {
  if (run.state !== 'succeeded') return null
  const approval = run.approvals.findLast((one) => one.stage === 'approve' && !one.void)
  const apply = run.stages.find(({ name, state }) => name === 'apply' && state === 'succeeded')
  return (
    <section className="ending good" aria-labelledby="ending-title">
      <h2 id="ending-title">{titleOf(run)}</h2>
      <p>
        {whatWasDone(run)}
        {run.kind === 'apply' && run.reason !== 'no_changes' && apply?.startedAt && (
          <>
            {' '}
            The apply took <Duration from={apply.startedAt} to={apply.endedAt} />.
          </>
        )}
      </p>
      {approval && (
        <p>
          Approved by {approval.user}, <Time at={approval.at} />
        </p>
      )}
      {approval?.comment && (
        <blockquote className="comment">{plainText(approval.comment)}</blockquote>
      )}
      <Left run={run} />
    </section>
  )
}

function titleOf({ kind, reason, destroy }: RunDetail): string {
  if (reason === 'no_changes') return 'No changes'
  if (kind === 'plan') return 'The plan is made'
  return destroy ? 'Destroyed' : 'Applied'
}

function whatWasDone({ kind, reason, summary }: RunDetail): string {
  if (reason === 'no_changes' || !summary) return 'The infrastructure matches the files.'
  return kind === 'plan'
    ? `${summaryInWords(summary, 'planned')}. Nothing was changed: this run only plans. Start a run to apply.`
    : `${summaryInWords(summary, 'done')}.`
}

/** The version of the state and the outputs. A later run changes both, and then its state has those of now. */
function Left({ run: { stateVersion, workspaceId } }: Props) {
  const { data } = useQuery(workspaceQuery(workspaceId))
  const since = stateVersion && stateSince(stateVersion.serial, data?.workspace.stateSerial)
  const params = { id: workspaceId }
  return (
    <>
      {since === 'newest' && <Outputs id={workspaceId} />}
      <p className="next">
        {stateVersion && (
          <span>
            It wrote version {stateVersion.serial} of the state.
            {since === 'rewritten' && ' The state was written again since.'}
          </span>
        )}
        <Link to="/workspaces/$id" params={params} search={{ tab: 'state' }}>
          State and outputs
        </Link>
        <Link to="/workspaces/$id" params={params} search={{ tab: 'files' }}>
          Change the files
        </Link>
        <Link to="/workspaces/$id" params={params}>
          All runs of this workspace
        </Link>
      </p>
    </>
  )
}

function Outputs({ id }: { id: number }) {
  const query = useInfiniteQuery(outputsQuery(id))
  const outputs = query.data?.pages[0]?.outputs ?? []
  if (outputs.length === 0) return null
  const more = outputs.length - shownFirst
  return (
    <>
      <h3>Outputs</h3>
      <OutputTable outputs={outputs.slice(0, shownFirst)} />
      {more > 0 && <p>{plural(more, 'more output')} in the state.</p>}
    </>
  )
}

const shownFirst = 20
