import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call } from '../api/call.ts'
import type { RunDetail, RunPlace } from '../api/types.ts'
import { blockedWords, plural } from '../api/words.ts'
import { useMe } from '../app/session.ts'
import { useKey } from '../app/shortcuts.tsx'
import { Dialog } from './dialog.tsx'
import { Button, TextField } from './forms.tsx'
import { ErrorNote } from './notes.tsx'
import { Time } from './time.tsx'

type Props = { run: RunDetail; place: RunPlace; workspace: string }
type Choice = 'approve' | 'reject'

/** The panel of a waiting run: who may decide, and both decisions with what they do. */
export function Decision({ run, place, workspace }: Props) {
  const me = useMe()
  const [choice, setChoice] = useState<Choice>()
  const mayDecide = run.blockedBy?.whoCanAct.includes(me.label) ?? false
  const mayReject = me.may('mutate_infra')
  useKey(
    'a',
    useCallback(() => {
      if (mayDecide) setChoice('approve')
    }, [mayDecide]),
  )
  return (
    <section className="decision" aria-labelledby="decision-title">
      <div>
        <h2 id="decision-title">
          {mayDecide ? 'This run needs your approval' : 'This run needs approval'}
        </h2>
        <p>
          {whatItDoes(run)} {run.blockedBy && !mayDecide && blockedWords(run.blockedBy)}
          {!mayDecide &&
            run.author.id === me.user.id &&
            ' You started it, so another person decides.'}
        </p>
        {run.approvalExpiresAt && (
          <p className="dim">
            It waits until <Time at={run.approvalExpiresAt} />, then it ends without a change.
          </p>
        )}
      </div>
      <div className="actions">
        {mayReject && <Button onClick={() => setChoice('reject')}>Reject…</Button>}
        {mayDecide && (
          <Button tone="primary" onClick={() => setChoice('approve')}>
            Approve…
          </Button>
        )}
      </div>
      {choice && (
        <DecisionDialog
          {...{ run, place, workspace, choice }}
          onClose={() => setChoice(undefined)}
        />
      )}
    </section>
  )
}

function whatItDoes({ summary, destroy }: RunDetail): string {
  if (!summary) return ''
  const { add, change, destroy: gone } = summary
  return `${destroy ? 'It destroys what the workspace has: ' : ''}${plural(add, 'resource')} to add, ${change} to change, ${gone} to destroy.`
}

function DecisionDialog({
  run,
  place,
  workspace,
  choice,
  onClose,
}: Props & { choice: Choice; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [comment, setComment] = useState('')
  // The digest of the plan that was on the screen when the dialog opened: a newer one is refused.
  const [planDigest] = useState(run.planDigest)
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
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['run', place.kind, place.id, place.runId] })
      onClose()
    },
  })
  const approving = choice === 'approve'
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={approving ? `Approve and apply to ${workspace}?` : 'Reject this plan?'}
      description={
        approving ? (
          <>
            <p>
              OpenTofu applies exactly the plan you see, and nothing else, as soon as you approve.{' '}
              {whatItDoes(run)} Your name is kept with the approval.
            </p>
            <p className="dim">
              Plan <code className="digest">{planDigest}</code>. If anything it stands on changed
              since, it is refused instead of applied.
            </p>
          </>
        ) : (
          <p>The run ends as failed and nothing is changed. Its author can start another one.</p>
        )
      }
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          decide.mutate()
        }}
      >
        <TextField
          label="Comment (optional)"
          rows={2}
          maxLength={1_000}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
        <ErrorNote error={decide.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Back</Button>
          <Button type="submit" tone={approving ? 'primary' : 'danger'} busy={decide.isPending}>
            {approving ? 'Approve and apply' : 'Reject the plan'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
