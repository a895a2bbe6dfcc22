import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import { approvalRefusalWords } from '../api/words.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { TextField } from '../parts/forms.tsx'
import { Time } from '../parts/time.tsx'
import { CommentsToRead } from '../runs/comments-to-read.tsx'
import type { Choice } from '../runs/decision-words.ts'
import { NoLongerWaits } from '../runs/no-longer-waits.tsx'
import type { AskedDecision } from '../runs/sent-decision.ts'
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

type DialogProps = Props & { choice: Choice; onClose: () => void }

/** What was shown when the dialog opened. The service refuses another digest, and another step. */
function useShown({ run, target, choice }: DialogProps) {
  const [shown] = useState(() => {
    const of: ReleaseDecisionOf = { choice, step: waitingStep(run), target }
    const asked: AskedDecision = { choice, step: of.step ?? 0, known: run.approvals.length }
    return { of, asked, planDigest: run.planDigest }
  })
  return shown
}

function DecisionDialog(props: DialogProps) {
  const { run, place, choice, onClose } = props
  const queryClient = useQueryClient()
  const [comment, setComment] = useState('')
  const { of, asked, planDigest } = useShown(props)
  const decide = useMutation({
    mutationFn: () => {
      const params = { id: place.id, runId: place.runId }
      // Without the step, the service decides about the one that waits when the request arrives.
      const words = { step: asked.step, ...(comment.trim() && { comment: comment.trim() }) }
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
  const instead = insteadOf(of, run)
  if ((!run.awaitingApproval || instead) && !sent)
    return <NoLongerWaits {...{ run, asked, instead, onClose }} doing={decide} />
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

/** What waits now, where it is not what the dialog asks about. */
function insteadOf(of: ReleaseDecisionOf, run: AnyRunDetail) {
  const step = waitingStep(run)
  if (!run.awaitingApproval || step === of.step) return undefined
  const text =
    step === undefined
      ? 'The release itself waits now. Look at it before you decide.'
      : `The deployment waits after step ${step} now. Look at its hosts before you decide.`
  return { title: 'Another step waits now', text }
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
