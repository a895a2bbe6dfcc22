import type { Choice } from '../runs/decision-words.ts'

/** What is decided, as it was when the dialog opened. Without a step it is the release itself. */
export type ReleaseDecisionOf = { choice: Choice; step: number | undefined; target: string }

type Words = { title: string; act: string; text: string; tone: 'primary' | 'danger' }

/** The heading, the button and the consequence of a decision. */
export function releaseDecisionWords({ choice, step, target }: ReleaseDecisionOf): Words {
  if (step === undefined)
    return choice === 'approve'
      ? {
          title: `Approve and deploy to ${target}?`,
          act: 'Approve and deploy',
          text: 'Exactly this release is deployed, as soon as you approve. Your name is kept with the approval.',
          tone: 'primary',
        }
      : {
          title: 'Reject this release?',
          act: 'Reject the release',
          text: 'The run ends as rejected and no host is changed. Its artifact stays.',
          tone: 'danger',
        }
  return choice === 'approve'
    ? {
        title: `Let the deployment to ${target} go on after step ${step}?`,
        act: 'Let it go on',
        text: 'The next hosts get the release. Your name is kept with the decision.',
        tone: 'primary',
      }
    : {
        title: 'Stop the deployment and go back?',
        act: 'Stop and go back',
        text: 'Every host that has the new release goes back to the one before it, where there is one.',
        tone: 'danger',
      }
}
