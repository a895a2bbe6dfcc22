import type { Stage } from '../api/types.ts'
import { actionOf, type PlannedResource } from '../infrastructure/plan.ts'

export type OutcomeWords = { tone: string; sign: string; words: string }

const done = {
  create: 'created',
  update: 'changed',
  replace: 'replaced',
  destroy: 'destroyed',
  read: 'read',
  move: 'moved',
}

/** What the apply did to a resource, with its time. Undefined before the apply, and where nothing is to be done. */
export function outcomeWords(
  resource: PlannedResource,
  stages: ReadonlyArray<Pick<Stage, 'name' | 'state'>>,
): OutcomeWords | undefined {
  const apply = stages.find(({ name }) => name === 'apply')?.state
  const action = actionOf(resource)
  const { outcome } = resource
  if (outcome?.result === 'failed')
    return { tone: 'bad-text', sign: '✗', words: `failed after ${timeOf(outcome.seconds)}` }
  if (outcome)
    return { tone: 'good-text', sign: '✓', words: `${done[action]} in ${timeOf(outcome.seconds)}` }
  const isOver = apply === 'failed' || apply === 'canceled'
  if (isOver && action !== 'read' && action !== 'move')
    return { tone: 'dim', sign: '–', words: 'no outcome in the log' }
  return undefined
}

/** OpenTofu measures whole seconds. */
function timeOf(seconds: number): string {
  if (seconds < 1) return 'under 1 s'
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
