import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { call } from '../api/call.ts'
import type { Agent, Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { AddAgent } from './add-agent.tsx'
import { AgentDialog, type AgentAction, type AgentDialogKind } from './agent-dialogs.tsx'
import { AgentList } from './agent-list.tsx'
import { isHost } from './agent-words.ts'
import { Joins } from './joins.tsx'
import { agentsQuery } from './queries.ts'

/** The deploy agents of a workspace: the hosts that its applications run on. */
export function WorkspaceAgents({ workspace: { id } }: { workspace: Workspace }) {
  const { may } = useMe()
  const mayManage = may('manage_cloud_accounts')
  const query = useQuery(agentsQuery(id))
  const [isAdding, setAdding] = useState(false)
  const [open, setOpen] = useState<{ action: AgentDialogKind; agent: Agent }>()
  const pause = usePause()
  const { mutate } = pause
  const onAct = useCallback(
    (action: AgentAction, agent: Agent) => {
      if (action === 'pause' || action === 'resume')
        mutate({ id: agent.id, paused: action === 'pause' })
      else setOpen({ action, agent })
    },
    [mutate],
  )
  const agents = query.data ?? []
  const hosts = agents.filter(isHost)
  const joins = agents.filter((agent) => !isHost(agent))
  const add = mayManage && (
    <Button tone="primary" onClick={() => setAdding(true)}>
      Add an agent
    </Button>
  )
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      <ErrorNote error={pause.error} />
      {query.isPending && <Loading what="agents" />}
      {query.isSuccess && agents.length === 0 && (
        <Empty title="No agents yet">
          <p>
            An agent runs on a host and brings the releases of applications to it. It calls this
            service; nothing calls the host.
          </p>
          {add || <p>A person with the role SRE · Cloud Admin or higher adds one.</p>}
        </Empty>
      )}
      {agents.length > 0 && (
        <div className="list-head">
          <p className="dim">
            Releases of <Link to="/pipelines">application pipelines</Link> with this workspace as
            their target go to these hosts.
          </p>
          {add}
        </div>
      )}
      {hosts.length > 0 && (
        <AgentList workspaceId={id} hosts={hosts} onAct={mayManage ? onAct : undefined} />
      )}
      <Joins joins={joins} onAct={mayManage ? onAct : undefined} />
      {isAdding && <AddAgent workspaceId={id} onClose={() => setAdding(false)} />}
      {open && <AgentDialog {...open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function usePause() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, paused }: { id: number; paused: boolean }) =>
      call('updateAgent', { params: { id }, body: { paused } }),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['agents'] }),
  })
}
