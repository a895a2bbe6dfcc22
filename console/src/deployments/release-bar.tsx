import { useCallback } from 'react'
import { call } from '../api/call.ts'
import type { AnyRunDetail, Pipeline, RunPlace } from '../api/types.ts'
import { useKey } from '../app/shortcuts.tsx'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button } from '../parts/forms.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import type { Choice } from '../runs/decision-words.ts'
import { nameOfRun } from '../runs/run-row.tsx'
import { waitingStep } from './release-words.ts'
import { RollBack } from './roll-back.tsx'

type Props = {
  run: AnyRunDetail
  place: RunPlace
  pipeline: Pipeline | undefined
  onChoose: (choice: Choice) => void
}

/** The state and the actions of a run. It stays in view, however long the list below is. */
export function ReleaseBar({ run, place, pipeline, onChoose }: Props) {
  const { mayApprove, mayReject } = run
  const isStep = waitingStep(run) !== undefined
  useKey(
    'a',
    useCallback(() => {
      if (mayApprove) onChoose('approve')
    }, [mayApprove, onChoose]),
  )
  return (
    <section className="run-bar" aria-label={`State and actions of ${nameOfRun(run)}`}>
      <StateBadge run={run} />
      <div className="actions">
        <CancelButton run={run} place={place} />
        {mayReject && (
          <Button onClick={() => onChoose('reject')}>{isStep ? 'Stop…' : 'Reject…'}</Button>
        )}
        {mayApprove && (
          <Button tone="primary" onClick={() => onChoose('approve')}>
            {isStep ? 'Let it go on…' : 'Approve…'}
          </Button>
        )}
        {pipeline && <RollBack run={run} place={place} pipeline={pipeline} />}
      </div>
    </section>
  )
}

function CancelButton({ run, place }: { run: AnyRunDetail; place: RunPlace }) {
  // Between two steps, to stop it is the same as to cancel it.
  if (!run.mayCancel || waitingStep(run) !== undefined) return null
  const isDeploying = run.stages.some(({ name, state }) => name === 'deploy' && state === 'running')
  return (
    <ConfirmButton
      label={isDeploying ? 'Stop the deployment…' : 'Cancel run…'}
      tone={isDeploying ? 'danger' : 'plain'}
      title={isDeploying ? 'Stop the deployment?' : 'Cancel this run?'}
      act={isDeploying ? 'Stop and go back' : 'Cancel the run'}
      cancel="Let it go on"
      run={() =>
        call('cancelPipelineRun', { params: { id: place.id, runId: place.runId }, body: {} })
      }
      refresh={['run', place.kind, place.id, place.runId]}
    >
      {isDeploying
        ? 'Hosts end the hook that runs. Then every host that has the new release goes back to the one before it, where there is one.'
        : 'No host was changed, and none is.'}
    </ConfirmButton>
  )
}
