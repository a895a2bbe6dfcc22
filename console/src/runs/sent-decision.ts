import { ApiError } from '../api/call.ts'
import type { AnyRunDetail } from '../api/types.ts'
import type { Choice } from './decision-words.ts'

type Approvals = AnyRunDetail['approvals']

/** What a dialog decides. */
export type AskedDecision = {
  choice: Choice
  /** Of a deployment: the step that was looked at. 0 otherwise. */
  step: number
  /** How many decisions the run had when the dialog opened. Later ones were made meanwhile. */
  known: number
}

type Sent = {
  asked: AskedDecision
  approvals: Approvals
  /** The label of the person who decides. */
  me: string
  /** The request of the dialog; 0: nothing was sent. */
  doing: { submittedAt: number; error: Error | null }
}

export type Arrival = 'not sent' | 'arrived' | 'refused' | 'unknown'

/**
 * What is known of a decision on a run that no longer waits for it. The answer to a request can be lost after
 * the service has counted the decision, so an error does not prove that nothing was decided.
 */
export function arrivalOf({ asked, approvals, me, doing }: Sent): Arrival {
  if (doing.submittedAt === 0) return 'not sent'
  const verdict = asked.choice === 'approve' ? 'approved' : 'rejected'
  const isMine = madeMeanwhile(approvals, asked).some(
    ({ user, decision, step = 0 }) => user === me && decision === verdict && step === asked.step,
  )
  if (isMine) return 'arrived'
  return doing.error instanceof ApiError && doing.error.status < 500 ? 'refused' : 'unknown'
}

/** The decisions since the dialog opened, oldest first. */
export const madeMeanwhile = (approvals: Approvals, { known }: AskedDecision): Approvals =>
  approvals.slice(known)
