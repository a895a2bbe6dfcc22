import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import { approvalRefusalWords } from '../api/words.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { TextField } from '../parts/forms.tsx'
import { Time } from '../parts/time.tsx'
import { NoLongerWaits } from '../runs/decision.tsx'
import { CommentsToRead } from '../runs/comments-to-read.tsx'
import type { Choice } from '../runs/decision-words.ts'
import { releaseDecisionWords, type ReleaseDecisionOf } from './decision-words.ts'
import { blockedReleaseWords, waitingStep, whatItReleases } from './release-words.ts'

type Props = { run: AnyRunDetail; place: RunPlace; target: string }

/** The decision on a release, or on a step of its deployment. An open dialog stays if another person decides first. */
export function ReleaseDecision({
  choice,
  onClose,
  ...of
}: Props & { choice: Choice | undefined; onClose: () => void }) {
  return (
    <>
      {of.run.awaitingApproval && <Panel {...of} />}
      {choice && <DecisionDialog {...of} choice={choice} onClose={onClose} />}
    </>
  )
}

/** Who may decide, and what each decision does. */
function Panel({ run, place }: Props) {
  const step = waitingStep(run)
  const { mayApprove, mayReject } = run
  return (
    <section className="decision" aria-labelledby="decision-title">
      <div>
        <h2 id="decision-title">
          {step === undefined
            ? mayApprove
              ? 'This release needs your approval'
              : 'This release needs approval'
            : `The deployment waits after step ${step}`}
        </h2>
        <p>
          {step === undefined
            ? `${whatItReleases(run)} No host is changed before.`
            : 'Look at the hosts that have the new release before you let it go on.'}{' '}
          {!mayApprove && blockedReleaseWords(run)}
          {mayReject && ` ${approvalRefusalWords[run.because.mayApprove ?? ''] ?? ''}`}
        </p>
        <CommentsToRead run={run} place={place} />
        {run.approvalExpiresAt && step === undefined && (
          <p className="dim">
            It waits until <Time at={run.approvalExpiresAt} />, then it ends without a change.
          </p>
        )}
      </div>
    </section>
  )
}

function DecisionDialog({
  run,
  place,
  target,
  choice,
  onClose,
}: Props & { choice: Choice; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [comment, setComment] = useState('')
  // Pins what was shown when the dialog opened. The service refuses another digest.
  const [planDigest] = useState(run.planDigest)
  const [of] = useState<ReleaseDecisionOf>(() => ({ choice, step: waitingStep(run), target }))
  const decide = useMutation({
    mutationFn: () => {
      const params = { id: place.id, runId: place.runId }
      const words = comment.trim() && { comment: comment.trim() }
      return choice === 'approve'
        ? call('approvePipelineRun', {
            params,
            body: { ...words, ...(planDigest && { planDigest }) },
          })
        : call('rejectPipelineRun', { params, body: { ...words } })
    },
    onSuccess: onClose,
    // Refetches after an error too, which usually means that the shown run is out of date.
    onSettled: async () =>
      queryClient.invalidateQueries({ queryKey: ['run', place.kind, place.id, place.runId] }),
  })
  const sent = decide.isPending || decide.isSuccess
  if (!run.awaitingApproval && !sent) return <NoLongerWaits run={run} onClose={onClose} />
  const words = releaseDecisionWords(of)
  return (
    <FormDialog
      title={words.title}
      description={<Consequence run={run} of={of} planDigest={planDigest} />}
      act={words.act}
      tone={words.tone}
      cancel="Back"
      doing={decide}
      onSubmit={() => decide.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Comment (optional)"
        rows={2}
        maxLength={1_000}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
    </FormDialog>
  )
}

type ConsequenceProps = { run: AnyRunDetail; of: ReleaseDecisionOf; planDigest: string | null }

function Consequence({ run, of, planDigest }: ConsequenceProps) {
  const approves = of.choice === 'approve'
  return (
    <>
      <p>
        {releaseDecisionWords(of).text} {approves && of.step === undefined && whatItReleases(run)}
      </p>
      {approves && planDigest && (
        <p className="dim">
          Release <code className="digest">{planDigest}</code>. If anything that it depends on has
          changed since, it is refused and not deployed.
        </p>
      )}
    </>
  )
}
