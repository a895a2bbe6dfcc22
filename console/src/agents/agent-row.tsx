import { useNavigate } from '@tanstack/react-router'
import { memo, type MouseEvent } from 'react'
import type { Agent } from '../api/types.ts'
import { Button } from '../parts/forms.tsx'
import { LookBadge } from '../parts/look-badge.tsx'
import { LabelTags } from '../parts/label-list.tsx'
import { Time } from '../parts/time.tsx'
import type { AgentAction } from './agent-dialogs.tsx'
import { agentLooks, shortDigest } from './agent-words.ts'
import type { ReleaseOfRun } from './use-release-names.ts'

type Props = {
  agent: Agent
  /** The run that released what the host has, where it is known. */
  release: ReleaseOfRun | undefined
  /** Undefined for a person who may not change agents. */
  onAct: ((action: AgentAction, agent: Agent) => void) | undefined
}

/** One host in the list. Memoized, because a list has up to 1,000. */
export const AgentRow = memo(function AgentRow({ agent, release, onAct }: Props) {
  return (
    <div className="row agent-row">
      <span className="row-state">
        <LookBadge look={agentLooks[agent.state]} />
      </span>
      <span className="row-main">
        <span className="row-title">
          <strong>
            <bdi>{agent.name}</bdi>
          </strong>
          {agent.busy && <span className="tag">deploying</span>}
          <LabelTags labels={agent.labels} />
        </span>
        <span className="row-sub">
          <About agent={agent} /> · <Release agent={agent} release={release} />
        </span>
      </span>
      {onAct && <Actions agent={agent} onAct={onAct} />}
    </div>
  )
})

function About({ agent: { lastSeenAt, version, os, arch } }: { agent: Agent }) {
  if (!lastSeenAt) return 'never called'
  return (
    <>
      last seen <Time at={lastSeenAt} />
      {version && ` · version ${version}`}
      {os && ` · ${os}${arch ? ` ${arch}` : ''}`}
    </>
  )
}

function Release({ agent, release }: { agent: Agent; release: ReleaseOfRun | undefined }) {
  if (!agent.release) return 'runs no release'
  const digest = <code>{shortDigest(agent.release.digest)}</code>
  return release ? (
    <>
      runs <ReleaseLink release={release} /> ({digest})
    </>
  ) : (
    <>runs {digest}</>
  )
}

/** A plain `<a>`: a link of the router in each row would be most of the work of a scroll. */
function ReleaseLink({ release }: { release: ReleaseOfRun }) {
  const navigate = useNavigate()
  const { pipelineId: id, pipelineName, number, runId } = release
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void navigate({ to: '/pipelines/$id/runs/$runId', params: { id, runId } })
  }
  return (
    <a href={`/pipelines/${id}/runs/${runId}`} onClick={follow}>
      {pipelineName}, Run #{number}
    </a>
  )
}

type ActionsProps = { agent: Agent; onAct: (action: AgentAction, agent: Agent) => void }

function Actions({ agent, onAct }: ActionsProps) {
  const act = (action: AgentAction, label: string, opens = true) => (
    <Button aria-label={`${label} ${agent.name}`} onClick={() => onAct(action, agent)}>
      {opens ? `${label}…` : label}
    </Button>
  )
  return (
    <span className="table-actions">
      {agent.state === 'paused' ? act('resume', 'Resume', false) : act('pause', 'Pause', false)}
      {act('change', 'Change')}
      {act('token', 'New token')}
      {act('delete', 'Delete')}
    </span>
  )
}
