import type { Agent } from '../api/types.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Time } from '../parts/time.tsx'
import type { AgentAction } from './agent-dialogs.tsx'

type Props = {
  joins: readonly Agent[]
  onAct: ((action: AgentAction, agent: Agent) => void) | undefined
}

/** The tokens by which many hosts enroll. */
export function Joins({ joins, onAct }: Props) {
  if (joins.length === 0) return null
  return (
    <section className="section" aria-labelledby="joins-title">
      <h2 id="joins-title">Tokens that enroll hosts</h2>
      <DataTable
        label="Tokens that enroll hosts"
        rows={joins}
        columns={[
          { title: 'Name', render: ({ name }) => <bdi>{name}</bdi> },
          {
            title: 'Hosts',
            render: ({ join }) => `${join?.enrolled ?? 0} of ${join?.maxAgents ?? 0}`,
          },
          {
            title: 'Ends',
            look: 'dim',
            render: ({ join }) => (join?.expiresAt ? <Time at={join.expiresAt} /> : 'ended'),
          },
          onAct !== undefined && {
            title: 'Actions',
            look: 'actions',
            render: (agent) => (
              <>
                <Button
                  aria-label={`New token ${agent.name}`}
                  onClick={() => onAct('token', agent)}
                >
                  New token…
                </Button>
                <Button aria-label={`Delete ${agent.name}`} onClick={() => onAct('delete', agent)}>
                  Delete…
                </Button>
              </>
            ),
          },
        ]}
      />
    </section>
  )
}
