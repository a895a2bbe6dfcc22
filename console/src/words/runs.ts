import type { ErrorWords } from './error-action.ts'

/** Errors of runs, pipelines and policies. */
export const runErrors = {
  approver_is_author:
    'You started this run or changed something that it uses, so another person decides.',
  approver_made_by_author:
    'An author of this run invited or promoted you, or configured your sign-in, so another person decides.',
  step_changed:
    'The deployment went on since you looked at it, and waits for another step. Look at the run again before you decide.',
  plan_changed: 'What you looked at has changed since. Look at it again before you decide.',
  run_not_waiting: 'This run no longer waits: it was decided, canceled, or is over.',
  too_many_comments:
    'This run has as many comments as it may. Go on in an issue or a chat, and link it in the message of the next run.',
  not_runnable: 'This pipeline has no workspace to run on.',
  not_promotable: 'That run has no artifact that can be deployed here. Choose another run.',
  not_rollbackable: 'That run has no release for this target. Choose another run.',
  not_rerunnable: {
    text: 'What this run was made of is gone, so it cannot run again.',
    withFacts: true,
  },
  source_unknown:
    'The Git connection of this pipeline was disconnected. Create a pipeline with another connection.',
  artifact_gone: 'This artifact was removed: it was too old to be kept. Build its commit again.',
  vars_not_supported: 'A run of an application takes no variables of a plan.',
  managed_pipeline: 'This pipeline belongs to its workspace, and is deleted with it.',
  too_many_policies:
    'The organization has as many policies as it may. Delete those that nobody needs.',
  policy_overtaken:
    'Another person saved a newer version of the policy. Nothing was written. Look at it, then save again.',
  policy_invalid: { text: 'The policy does not compile.', withFacts: true },
  manifest_too_large: 'The manifest is too large. Move scripts into files of the repository.',
  notification_limit: 'The organization has as many notifications as it may. Delete one first.',
  no_secret: 'Only a webhook has a secret.',
  too_many_tests:
    'This notification was tested a moment ago, or others are being tested. Try again in a moment.',
} as const satisfies Record<string, ErrorWords>
