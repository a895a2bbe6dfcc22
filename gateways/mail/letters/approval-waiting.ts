import { letter, type Letter, type Part } from '../letter.ts'

export type WaitingRun = {
  runUrl: string
  organizationName: string
  workspaceName: string
  author: string
  destroy: boolean
  summary: { add: number; change: number; destroy: number } | null
  waitsUntil: Date | null
}

/** Says what waits and where, never what a plan holds: a mailbox is not the place for it. */
export function approvalWaitingLetter(run: WaitingRun): Letter {
  const what = run.destroy ? 'A run that destroys all of it' : 'A run'
  const parts: Part[] = [
    `${what} by ${run.author} in ${run.workspaceName} (${run.organizationName}) waits for somebody else's approval. You may give it.`,
  ]
  const { summary, waitsUntil } = run
  if (summary)
    parts.push(`It adds ${summary.add}, changes ${summary.change} and destroys ${summary.destroy}.`)
  parts.push({ link: run.runUrl, label: 'Look at the run' })
  if (waitsUntil) parts.push(`It waits until ${waitsUntil.toISOString()}, then it is canceled.`)
  return letter(`${run.workspaceName} waits for your approval`, parts)
}
