import type { Agent } from '../api/types.ts'
import { offeredStates } from '../parts/offered-states.ts'
import type { Look } from '../parts/run-look.ts'

type State = Agent['state']

/** The state of a host's agent, and what a person does about it. */
export const agentLooks: Record<State, Look & { hint: string }> = {
  online: { tone: 'good', icon: 'done', word: 'Online', hint: '' },
  offline: {
    tone: 'bad',
    icon: 'failed',
    word: 'Offline',
    hint: 'It has not called for a minute. Its host keeps what it runs, and catches up when it returns.',
  },
  pending: {
    tone: 'quiet',
    icon: 'queued',
    word: 'Not installed',
    hint: 'It has never called. Run the install command on its host, or make a new token.',
  },
  paused: {
    tone: 'warn',
    icon: 'waiting',
    word: 'Paused',
    hint: 'It gets nothing new until you resume it.',
  },
  outdated: {
    tone: 'warn',
    icon: 'outdated',
    word: 'Outdated',
    hint: 'Its version is too old for this service. Install the current agent. Its host keeps what it runs.',
  },
}

/** In the order in which a person looks for trouble. */
export const agentStates: readonly State[] = ['offline', 'outdated', 'paused', 'pending', 'online']

export const isHost = ({ join }: Pick<Agent, 'join'>): boolean => join === null

/** How many hosts are in each state, without states of none but the chosen one. */
export const countStates = (
  agents: ReadonlyArray<Pick<Agent, 'state'>>,
  chosen?: State,
): Array<[State, number]> =>
  offeredStates(agentStates, agents, chosen).map((state) => [
    state,
    agents.filter((agent) => agent.state === state).length,
  ])

type Shown = Pick<Agent, 'name' | 'labels' | 'state'>

/** The hosts whose name or a label has the text, in one state if one is chosen; trouble comes first. */
export function foundAgents<One extends Shown>(
  agents: readonly One[],
  { q, state }: { q: string; state: State | undefined },
): One[] {
  const wanted = q.trim().toLowerCase()
  const texts = ({ name, labels }: One) => [
    name,
    ...Object.entries(labels).map(([key, value]) => `${key}=${value}`),
  ]
  return agents
    .filter((agent) => state === undefined || agent.state === state)
    .filter((agent) => texts(agent).some((text) => text.toLowerCase().includes(wanted)))
    .toSorted(
      (a, b) =>
        agentStates.indexOf(a.state) - agentStates.indexOf(b.state) ||
        a.name.localeCompare(b.name, 'en', { numeric: true }),
    )
}

/** A digest as people compare it: its first 12 digits. */
export const shortDigest = (digest: string): string => digest.replace(/^sha256:/, '').slice(0, 12)
