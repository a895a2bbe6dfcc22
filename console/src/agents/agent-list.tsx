import { useMemo, useState } from 'react'
import type { Agent } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { FilterBox } from '../parts/filter-box.tsx'
import { Select } from '../parts/forms.tsx'
import { WindowedList } from '../parts/windowed-list.tsx'
import type { AgentAction } from './agent-dialogs.tsx'
import { AgentRow } from './agent-row.tsx'
import { agentLooks, agentStates, countStates, foundAgents } from './agent-words.ts'
import { useReleaseNames } from './use-release-names.ts'

type Props = {
  workspaceId: number
  hosts: readonly Agent[]
  onAct: ((action: AgentAction, agent: Agent) => void) | undefined
}

/** The hosts of a workspace, narrowed by text and state. Only the rows near the window are in the document. */
export function AgentList({ workspaceId, hosts, onAct }: Props) {
  const [q, setQ] = useState('')
  const [typedState, setTypedState] = useState('')
  const state = agentStates.find((one) => one === typedState)
  const found = useMemo(() => foundAgents(hosts, { q, state }), [hosts, q, state])
  const releases = useReleaseNames(workspaceId)
  const counts = countStates(hosts, state)
  return (
    <>
      <div className="list-filter">
        <FilterBox
          label="Filter by name or label"
          value={q}
          onChange={setQ}
          found={plural(found.length, 'host')}
        />
        <Select
          label="State"
          value={typedState}
          onChange={({ target }) => setTypedState(target.value)}
        >
          <option value="">all</option>
          {counts.map(([one, count]) => (
            <option key={one} value={one}>
              {agentLooks[one].word} ({count})
            </option>
          ))}
        </Select>
      </div>
      {counts
        .filter(([one, count]) => count > 0 && agentLooks[one].hint !== '')
        .map(([one, count]) => (
          <p key={one} className="dim">
            <strong>
              {agentLooks[one].word} ({count}):
            </strong>{' '}
            {agentLooks[one].hint}
          </p>
        ))}
      <div className="rows host-rows">
        <WindowedList
          label="Hosts"
          items={found}
          keyOf={keyOf}
          sizeKeyOf={keyOf}
          guess={guess}
          render={(agent) => (
            <AgentRow
              agent={agent}
              release={releases.get(agent.release?.runId ?? 0)}
              onAct={onAct}
            />
          )}
        />
      </div>
    </>
  )
}

const rowPx = 62
const keyOf = ({ id }: Agent) => String(id)
const guess = () => rowPx
