import type { BlockedBy, Run, Stage } from './types.ts'

/** The reason why a run ended. */
export const reasonWords: Record<NonNullable<Run['reason']>, string> = {
  policy_denied: 'Denied by a mandatory policy.',
  cost_exceeded: 'Over this workspace’s cost limit.',
  cost_unknown: 'Part of the cost is unknown, and this workspace denies plans of unknown cost.',
  plan_errored: 'The plan ended with an error.',
  plan_forged:
    'The plan file differs from the plan that was read from it, so it was refused. Check which programs the configuration runs during the plan.',
  apply_errored: 'The apply ended with an error.',
  rejected: 'Rejected by a person.',
  approval_expired: 'Not approved in time.',
  plan_stale: 'The inputs changed after this plan was made. Start a new run.',
  superseded: 'Replaced by a newer run.',
  canceled_by_user: 'Canceled by a person.',
  timed_out: 'It exceeded its time limit.',
  runner_lost:
    'The worker that ran it was lost. What it changed after the state was last saved is missing there. It is never applied a second time.',
  plan_too_large: 'The plan is larger than a plan may be. Split the workspace.',
  memory_exceeded: 'The plan needed more memory than a run may use. Split the workspace.',
  state_save_failed:
    'The state could not be saved after the apply, so what it changed may be missing in it.',
  source_errored: 'The source could not be read.',
  build_errored: 'The build ended with an error.',
  deploy_errored: 'The deployment ended with an error.',
  no_changes: 'There was nothing to change.',
}

/** What differs for a run of an application, which has no plan and no state. */
const applicationReasons: Partial<Record<NonNullable<Run['reason']>, string>> = {
  plan_stale: 'What it would deploy changed after it was shown. Start a new run.',
  runner_lost: 'The worker that ran it was lost. Start a new run.',
  memory_exceeded: 'The build needed more memory than it may use.',
  superseded: 'Replaced by a newer run or a rollback.',
}

/** Why a run ended, in a sentence. */
export const endWords = (kind: Run['kind'], reason: NonNullable<Run['reason']>): string =>
  (kind === 'application' ? applicationReasons[reason] : undefined) ?? reasonWords[reason]

/** The reason why a person with the capability `mutate_infra` cannot approve this run. */
export const approvalRefusalWords: Record<string, string | undefined> = {
  approver_is_author:
    'You started it or changed something that it uses, so another person decides.',
  approver_made_by_author:
    'One of its authors invited you, changed your address, reactivated you or raised your role since the last apply, or set up the single sign-on that you used, so another person decides.',
  forbidden:
    'Part of it is by an unknown author, so approving it requires the role SRE · Cloud Admin or higher.',
}

const approverFaults: Readonly<Record<string, string>> = {
  'approver: inactive': 'the approver is no longer an active member',
  'approver: capability': 'the role of the approver no longer allows it',
  'approver: author': 'the approver became one of the authors',
  'approver: made_by_author': 'an author invited or promoted the approver',
  'approver: signed_in_by_author': 'an author configured the sign-in of the approver',
}

/** The reason why an approval no longer counts. */
export const voidWords = (reason: string): string => approverFaults[reason] ?? reason

export const stageWords: Record<Stage['state'], string> = {
  pending: 'not begun',
  queued: 'queued',
  running: 'running',
  waiting: 'waiting for a person',
  succeeded: 'done',
  failed: 'failed',
  skipped: 'skipped',
  canceled: 'canceled',
}

/** The reason why a run makes no progress. */
export function blockedWords(
  { kind, holder, whoCanAct }: BlockedBy,
  rule: 'second_operator' | 'confirm' = 'second_operator',
): string {
  switch (kind) {
    case 'turn':
      return `It waits for its turn: another run${holder ? ` by ${holder}` : ''} is using this workspace. It starts by itself.`
    case 'user_lock':
      return `It waits because ${holder ?? 'somebody'} locked the workspace. ${actWords(whoCanAct, 'unlock it')}`
    case 'approval':
      if (rule === 'confirm')
        return `It waits for a confirmation of its plan. ${actWords(whoCanAct, 'confirm it')}`
      return whoCanAct.length === 0
        ? `It waits for a second operator, and nobody here may approve it. ${whoMayBeInvited('workspace')}`
        : `It waits for a second operator. ${actWords(whoCanAct, 'approve it')}`
    case 'capacity':
      return 'It waits for a free slot: the limit of concurrent runs is reached. It starts by itself.'
    case 'agent':
      return 'It waits for a deploy agent to ask for work.'
    case 'engine':
      return 'It waits for Temporal or a worker to start it.'
  }
}

/**
 * An author cannot make an approver of the run (docs/runs.md, "Who may approve"), so an invitation by an author
 * leads nowhere.
 */
export const whoMayBeInvited = (place: 'workspace' | 'pipeline'): string =>
  `A person whom one of its authors invites now cannot approve it either. Two ways work: somebody who is not among its authors invites a person with the role Deployer or higher, or you invite this person and make a new ${place} after they have joined.`

function actWords(people: readonly string[], what: string): string {
  if (people.length === 0) return `Nobody may ${what} now.`
  const shown = people.slice(0, 3).join(', ')
  const more = people.length - 3
  return `${shown}${more > 0 ? ` and ${more} more` : ''} can ${what}.`
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`
