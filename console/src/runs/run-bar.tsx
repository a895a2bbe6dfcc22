import { useCallback } from 'react'
import { call } from '../api/call.ts'
import type { RunDetail, RunPlace } from '../api/types.ts'
import { useKey } from '../app/shortcuts.tsx'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button } from '../parts/forms.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { isConfirmation, type Choice } from './decision-words.ts'
import { nameOfRun, Summary } from './run-row.tsx'
import { StartRun } from './start-run.tsx'

type Props = { run: RunDetail; place: RunPlace; onChoose: (choice: Choice) => void }

/** The state, the counts and the actions of a run. It stays in view, however long the plan below is. */
export function RunBar({ run, place, onChoose }: Props) {
  const { mayApprove, mayReject } = run
  useKey(
    'a',
    useCallback(() => {
      if (mayApprove) onChoose('approve')
    }, [mayApprove, onChoose]),
  )
  return (
    <section className="run-bar" aria-label={`State and actions of ${nameOfRun(run)}`}>
      <StateBadge run={run} />
      {run.summary && <Summary summary={run.summary} />}
      <div className="actions">
        <CancelButton run={run} place={place} />
        {mayReject && <Button onClick={() => onChoose('reject')}>Reject…</Button>}
        {mayApprove && (
          <Button tone="primary" onClick={() => onChoose('approve')}>
            {run.awaitingPlanApproval
              ? 'Let it be planned…'
              : isConfirmation(run)
                ? 'Confirm…'
                : 'Approve…'}
          </Button>
        )}
        <RunAgain run={run} place={place} />
      </div>
    </section>
  )
}

/**
 * A run that ended without its changes can be started anew. Not one that destroys, which is started in the
 * settings of the workspace, and not one of a pull request, whose next push starts another.
 */
function RunAgain({ run, place }: Omit<Props, 'onChoose'>) {
  const { state, destroy, pullRequest } = run
  if (state === 'running' || state === 'succeeded' || destroy || pullRequest !== null) return null
  return (
    <StartRun
      workspaceId={run.workspaceId}
      {...(place.kind === 'pipeline' && { pipelineId: place.id })}
      label="Run again…"
      first={run.kind === 'plan' ? 'plan' : 'ask'}
    />
  )
}

function CancelButton({ run, place }: Omit<Props, 'onChoose'>) {
  const { may } = useMe()
  const params = { id: place.id, runId: place.runId }
  if (run.state !== 'running' || !may('mutate_infra')) return null
  const applying = run.stages.some(({ name, state }) => name === 'apply' && state === 'running')
  return (
    <ConfirmButton
      label={applying ? 'Interrupt the apply…' : 'Cancel run…'}
      tone={applying ? 'danger' : 'plain'}
      title={applying ? 'Interrupt the apply?' : 'Cancel this run?'}
      act={applying ? 'Interrupt it' : 'Cancel the run'}
      cancel="Let it go on"
      run={() =>
        place.kind === 'pipeline'
          ? call('cancelPipelineRun', { params, body: {} })
          : call('cancelWorkspaceRun', { params, body: {} })
      }
      refresh={['run', place.kind, place.id, place.runId]}
    >
      {applying
        ? 'OpenTofu completes the operations in progress and stops. The changes that it made by then remain, and are in the state.'
        : 'The run has changed nothing yet, and ends without a change.'}
    </ConfirmButton>
  )
}
