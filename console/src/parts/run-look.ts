import type { Run, Workspace } from '../api/types.ts'
import type { IconName } from './icon-shapes.ts'

export type Shown = Pick<Run, 'state'> &
  Partial<
    Pick<Run, 'awaitingApproval' | 'awaitingPlanApproval' | 'approval' | 'reason' | 'stages'>
  > & {
    queued?: boolean
    /** Of a list that does not know the rule: a standard workspace mostly asks for a confirmation. */
    criticality?: Workspace['criticality']
  }

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'quiet'
export type Look = { tone: Tone; icon: IconName; word: string }

const denied: Look = { tone: 'bad', icon: 'refused', word: 'Denied' }
const outOfDate: Look = { tone: 'info', icon: 'outdated', word: 'Out of date' }

/** Ends that are no failure of OpenTofu. To tell them apart from one, each has its own word, icon and tone. */
const ends: Partial<Record<NonNullable<Run['reason']>, Look>> = {
  policy_denied: denied,
  cost_exceeded: denied,
  cost_unknown: denied,
  rejected: { tone: 'warn', icon: 'refused', word: 'Rejected' },
  approval_expired: { tone: 'quiet', icon: 'expired', word: 'Expired' },
  plan_stale: outOfDate,
  superseded: outOfDate,
}

function decisionWord({ approval, criticality }: Shown): string {
  if (approval?.rule === 'confirm') return 'Needs confirmation'
  return !approval && criticality === 'standard' ? 'Needs a decision' : 'Needs approval'
}

/** The state of a run in a word, with an icon and a tone. */
export function runLook(run: Shown): Look {
  if (run.awaitingPlanApproval)
    return { tone: 'warn', icon: 'waiting', word: 'Needs approval to plan' }
  if (run.awaitingApproval)
    return {
      tone: 'warn',
      icon: 'waiting',
      word: decisionWord(run),
    }
  const end = run.state === 'running' || !run.reason ? undefined : ends[run.reason]
  if (end) return end
  switch (run.state) {
    case 'running': {
      const queued = run.queued ?? run.stages?.[0]?.state === 'queued'
      return queued
        ? { tone: 'quiet', icon: 'queued', word: 'Queued' }
        : { tone: 'info', icon: 'running', word: 'Running' }
    }
    case 'succeeded':
      return {
        tone: 'good',
        icon: 'done',
        word: run.reason === 'no_changes' ? 'No changes' : 'Succeeded',
      }
    case 'failed':
      return { tone: 'bad', icon: 'failed', word: 'Failed' }
    case 'canceled':
      return { tone: 'quiet', icon: 'none', word: 'Canceled' }
  }
}
