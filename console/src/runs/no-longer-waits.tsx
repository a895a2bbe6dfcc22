import type { AnyRunDetail } from '../api/types.ts'
import { endWords } from '../api/words.ts'
import { useMe } from '../app/session.ts'
import { ChangedMeanwhile } from '../parts/changed-meanwhile.tsx'
import { arrivalOf, madeMeanwhile, type Arrival, type AskedDecision } from './sent-decision.ts'

type Props = {
  run: Pick<AnyRunDetail, 'approvals' | 'kind' | 'reason'>
  asked: AskedDecision
  doing: { submittedAt: number; error: Error | null }
  /** What the run waits for instead, and what to look at before a decision about that. */
  instead?: { title: string; text: string } | undefined
  onClose: () => void
}

/**
 * Shown when the run stops waiting for what an open dialog asks about, for example because another person
 * decided.
 */
export function NoLongerWaits({ run, asked, doing, instead, onClose }: Props) {
  const { label: me } = useMe()
  const arrival = arrivalOf({ asked, approvals: run.approvals, me, doing })
  const last = madeMeanwhile(run.approvals, asked).findLast(({ void: gone }) => gone === undefined)
  const byWhom = last ? `${last.user} ${last.decision} it meanwhile.` : reasonOf(run)
  return (
    <ChangedMeanwhile title={instead?.title ?? 'This run no longer waits'} onClose={onClose}>
      <p>
        {arrival !== 'arrived' && byWhom} {arrivalWords(arrival, asked)}
      </p>
      {instead && <p>{instead.text}</p>}
    </ChangedMeanwhile>
  )
}

const reasonOf = ({ kind, reason }: Props['run']): string | null => reason && endWords(kind, reason)

function arrivalWords(arrival: Arrival, { choice }: AskedDecision): string {
  switch (arrival) {
    case 'not sent':
      return 'Your decision was not sent.'
    case 'arrived':
      return `Your ${choice === 'approve' ? 'approval' : 'rejection'} arrived. Only the answer to it was lost.`
    case 'refused':
      return 'The service refused your decision, so it does not count.'
    case 'unknown':
      return 'The service did not answer your decision, so it is not known whether it arrived.'
  }
}
