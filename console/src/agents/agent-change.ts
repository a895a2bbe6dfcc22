import type { Body } from '../api/call.ts'
import type { Agent } from '../api/types.ts'
import { linesOf } from '../parts/labels.ts'
import { readAgentLabels } from './agent-labels.ts'

type Labels = Agent['labels']

/** What a form changes of the agent that it was opened with, and no more. */
export function agentChange(
  typed: { name: string; labels: string },
  was: Pick<Agent, 'name' | 'labels'>,
): Body<'updateAgent'> {
  const name = typed.name.trim()
  const read = readAgentLabels(typed.labels)
  const isOther = 'labels' in read && textOf(read.labels) !== textOf(was.labels)
  return { ...(name !== was.name && { name }), ...(isOther && { labels: read.labels }) }
}

/** The order of labels says nothing. */
const textOf = (labels: Labels): string => linesOf(labels).split('\n').toSorted().join('\n')
