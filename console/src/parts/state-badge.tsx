import type { Run } from '../api/types.ts'

type Shown = Pick<Run, 'state'> &
  Partial<
    Pick<Run, 'awaitingApproval' | 'awaitingPlanApproval' | 'approval' | 'reason' | 'stages'>
  > & {
    queued?: boolean
  }

/** The state of a run as a word and a symbol, so that it does not depend on color (WCAG 1.4.1). */
export function StateBadge({ run }: { run: Shown }) {
  const { tone, sign, word } = look(run)
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      {word}
    </span>
  )
}

function look(run: Shown): { tone: string; sign: string; word: string } {
  if (run.awaitingPlanApproval) return { tone: 'warn', sign: '◆', word: 'Needs approval to plan' }
  if (run.awaitingApproval)
    return {
      tone: 'warn',
      sign: '◆',
      word: run.approval?.rule === 'confirm' ? 'Needs confirmation' : 'Needs approval',
    }
  switch (run.state) {
    case 'running': {
      const queued = run.queued ?? run.stages?.[0]?.state === 'queued'
      return queued
        ? { tone: 'quiet', sign: '○', word: 'Queued' }
        : { tone: 'info', sign: '●', word: 'Running' }
    }
    case 'succeeded':
      return {
        tone: 'good',
        sign: '✓',
        word: run.reason === 'no_changes' ? 'No changes' : 'Succeeded',
      }
    case 'failed':
      return { tone: 'bad', sign: '✕', word: 'Failed' }
    case 'canceled':
      return { tone: 'quiet', sign: '–', word: 'Canceled' }
  }
}
