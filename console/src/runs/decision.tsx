import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { workspaceQuery, workspaceRunsQuery } from '../api/queries.ts'
import type { RunDetail, RunPlace } from '../api/types.ts'
import { approvalRefusalWords, blockedWords } from '../api/words.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { TextField } from '../parts/forms.tsx'
import { Time } from '../parts/time.tsx'
import {
  decisionWords,
  isConfirmation,
  whatItDoes,
  type Choice,
  type DecisionOf,
} from './decision-words.ts'
import { CommentsToRead } from './comments-to-read.tsx'
import { DecisionText } from './decision-text.tsx'
import { HeldByBudget } from '../infrastructure/held-by-budget.tsx'
import { NoLongerWaits } from './no-longer-waits.tsx'
import { nameOfRun, RunLink } from './run-row.tsx'
import type { AskedDecision } from './sent-decision.ts'

const waits = (run: RunDetail) => run.awaitingApproval || run.awaitingPlanApproval

type Props = { run: RunDetail; place: RunPlace; workspace: string }
/** `choice` is what its dialog asks for; the bar of the run opens it. */
type DecisionProps = Props & { choice: Choice | undefined; onClose: () => void }

/**
 * The decision on a waiting run. If another person decides first, the open dialog stays and says so
 * instead of disappearing.
 */
export function Decision({ choice, onClose, ...of }: DecisionProps) {
  return (
    <>
      {waits(of.run) && <Panel run={of.run} place={of.place} />}
      {choice && <DecisionDialog {...of} choice={choice} onClose={onClose} />}
    </>
  )
}

/** Shows who may decide and what each decision does. */
function Panel({ run, place }: Pick<Props, 'run' | 'place'>) {
  const { mayApprove: mayDecide, mayReject } = run
  return (
    <section className="decision" aria-labelledby="decision-title">
      <div>
        <h2 id="decision-title">
          {isConfirmation(run)
            ? 'This run waits until its plan is confirmed'
            : mayDecide
              ? 'This run needs your approval'
              : 'This run needs approval'}
          {run.awaitingPlanApproval && ' before its plan'}
        </h2>
        <p>
          {whatItDoes(run)}{' '}
          {run.blockedBy && !mayDecide && blockedWords(run.blockedBy, run.approval?.rule)}
          {mayReject && ` ${approvalRefusalWords[run.because.mayApprove ?? ''] ?? ''}`}
        </p>
        {run.awaitingPlanApproval && mayDecide && <FilesToSee run={run} />}
        {run.awaitingApproval && <HeldByBudget run={run} />}
        <CommentsToRead run={run} place={place} />
        {run.approvalExpiresAt && (
          <p className="dim">
            It waits until <Time at={run.approvalExpiresAt} />, then it ends without a change.
          </p>
        )}
      </div>
    </section>
  )
}

/** Links to the files of this run, and to the run of a newer version if there is one. */
function FilesToSee({ run }: { run: RunDetail }) {
  const { workspaceId: id, configurationVersion: version } = run
  return (
    <>
      <p>
        <Link to="/workspaces/$id" params={{ id }} search={{ tab: 'files', version }}>
          See the files of version {version}
        </Link>
      </p>
      {run.pullRequest === null && <NewerFiles run={run} />}
    </>
  )
}

/** Not for a pull request, whose files are never the newest version of the workspace. */
function NewerFiles({ run: { workspaceId: id, configurationVersion } }: { run: RunDetail }) {
  const workspace = useQuery({ ...workspaceQuery(id), refetchInterval: 5_000 }).data?.workspace
  const runs = useInfiniteQuery(workspaceRunsQuery(id)).data?.pages[0]?.runs
  const newest = workspace?.configurationVersion ?? 0
  if (!workspace || !runs || newest <= configurationVersion) return null
  const newer = runs.find((run) => run.configurationVersion === newest && run.pullRequest === null)
  const place: RunPlace | undefined = newer && {
    ...(newer.kind === 'plan'
      ? ({ kind: 'workspace', id } as const)
      : ({ kind: 'pipeline', id: workspace.pipelineId } as const)),
    runId: newer.id,
  }
  return (
    <p>
      Version {newest} was saved since, and{' '}
      {newer && place ? (
        <>
          <RunLink place={place}>{nameOfRun(newer)}</RunLink> is a run of it.
        </>
      ) : (
        'no run of it was started.'
      )}{' '}
      This approval is for version {configurationVersion} alone.
    </p>
  )
}

/** What was shown when the dialog opened. The API refuses a decision about it once it has changed. */
function useShown(run: RunDetail, choice: Choice) {
  const [shown] = useState(() => {
    const { planDigest, configurationSha256, awaitingPlanApproval: beforePlan } = run
    const of: DecisionOf = { choice, beforePlan, onlyConfirm: isConfirmation(run) }
    const asked: AskedDecision = { choice, step: 0, known: run.approvals.length }
    return { of, asked, planDigest, configurationSha256 }
  })
  return shown
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
  const { of, asked, planDigest, configurationSha256 } = useShown(run, choice)
  const decide = useMutation({
    mutationFn: () => {
      const params = { id: place.id, runId: place.runId }
      const words = comment.trim() && { comment: comment.trim() }
      const [approve, reject] =
        place.kind === 'pipeline'
          ? (['approvePipelineRun', 'rejectPipelineRun'] as const)
          : (['approveWorkspaceRun', 'rejectWorkspaceRun'] as const)
      const what = of.beforePlan ? { configurationSha256 } : { ...(planDigest && { planDigest }) }
      return choice === 'approve'
        ? call(approve, { params, body: { ...words, ...what } })
        : call(reject, { params, body: { ...words } })
    },
    onSuccess: onClose,
    // Refetches after an error too, which usually means that the shown run is out of date.
    onSettled: async () =>
      queryClient.invalidateQueries({ queryKey: ['run', place.kind, place.id, place.runId] }),
  })
  const words = decisionWords(run, { workspace, of })
  const sent = decide.isPending || decide.isSuccess
  const instead = insteadOf(of, run)
  if ((!waits(run) || instead) && !sent)
    return <NoLongerWaits {...{ run, asked, instead, onClose }} doing={decide} />
  return (
    <FormDialog
      title={words.title}
      description={<DecisionText run={run} of={of} planDigest={planDigest} />}
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

/** What waits now, where it is not what the dialog asks about: nobody may decide what they have not looked at. */
function insteadOf({ beforePlan }: DecisionOf, run: RunDetail) {
  if (!waits(run) || run.awaitingPlanApproval === beforePlan) return undefined
  return beforePlan
    ? { title: 'The plan waits now', text: 'Look at the plan before you decide.' }
    : { title: 'The run waits before its plan now', text: 'Look at its files before you decide.' }
}
