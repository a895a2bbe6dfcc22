import { letter, type Letter, type Part } from '../letter.ts'

export type WaitingRelease = {
  runUrl: string
  organizationName: string
  pipelineName: string
  workspaceName: string
  number: number
  author: string
  isRollback: boolean
  /** The step of its deployment that waits; 0 before the deployment. */
  step: number
  waitsUntil: Date | null
}

/** Contains names and a link alone: a mailbox must not hold what a release contains. */
export function releaseWaitingLetter(release: WaitingRelease): Letter {
  const { pipelineName, workspaceName, organizationName, number, author, isRollback, step } =
    release
  const what = isRollback ? 'A rollback' : 'A deployment'
  const waits =
    step === 0
      ? 'waits for approval by another person. Nothing was sent to a host yet'
      : `waits after step ${step} for a person to let it go on`
  const parts: Part[] = [
    `${what} of ${pipelineName}, run ${number}, to the workspace ${workspaceName} (${organizationName}), started by ${author}, ${waits}. You can approve or reject it.`,
    { link: release.runUrl, label: 'Open the run' },
  ]
  if (release.waitsUntil)
    parts.push(
      `The run waits until ${release.waitsUntil.toISOString()}. Without an approval by then, it fails and changes nothing.`,
    )
  return letter(`${what} of ${pipelineName} waits for your approval`, parts)
}
