import type { Gate, Run, Stage } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { findingsOf } from '../infrastructure/plan.ts'

export const gatesOf = ({ stages }: Pick<Run, 'stages'>): Gate[] =>
  stages.flatMap(({ gates }) => gates ?? [])

type Line = Pick<Stage, 'name' | 'state' | 'startedAt' | 'endedAt'> & {
  by?: string
  words?: string
}

/**
 * The stages with the checks between plan and approval. The service judges a plan within the stage `plan`, so a
 * plan that was denied is shown as made.
 */
export function stagesWithChecks(run: Pick<Run, 'stages' | 'state' | 'reason'>): Line[] {
  return run.stages.flatMap((stage): Line[] => {
    if (stage.name !== 'plan') return [stage]
    const gates = gatesOf(run)
    const isJudged = gates.length > 0
    const plan =
      isJudged && stage.state === 'failed' ? { ...stage, state: 'succeeded' as const } : stage
    const times = { startedAt: isJudged ? stage.endedAt : null, endedAt: stage.endedAt }
    return [plan, { name: 'checks', ...times, ...(isJudged ? judged(gates) : unjudged(run)) }]
  })
}

function unjudged({ state }: Pick<Run, 'state'>): Pick<Line, 'state'> {
  return { state: state === 'running' ? 'pending' : 'skipped' }
}

function judged(gates: readonly Gate[]): Pick<Line, 'state' | 'words'> {
  if (gates.some(({ result }) => result === 'fail' || result === 'error'))
    return { state: 'failed', words: 'denied' }
  const warnings = gates
    .filter(({ result }) => result === 'warn')
    .reduce((sum, { findings }) => sum + findingsOf(findings).length, 0)
  return {
    state: 'succeeded',
    words: warnings > 0 ? `passed with ${plural(warnings, 'warning')}` : 'passed',
  }
}
