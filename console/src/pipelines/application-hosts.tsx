import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { AgentList } from '../agents/agent-list.tsx'
import { isHost, shortDigest } from '../agents/agent-words.ts'
import { agentsQuery } from '../agents/queries.ts'
import { useReleaseNames } from '../agents/use-release-names.ts'
import type { Agent, Pipeline } from '../api/types.ts'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { RunLink } from '../runs/run-row.tsx'
import { releaseGroups } from './what-runs-where.ts'

/** Which release each host of the target has. */
export function ApplicationHosts({ pipeline }: { pipeline: Pipeline }) {
  const { id, targetWorkspaceId } = pipeline
  if (targetWorkspaceId === null)
    return (
      <Empty title="No target">
        <p>This pipeline deploys to no hosts: its runs end with an artifact.</p>
        <Link to="/pipelines/$id" params={{ id }} search={{ tab: 'settings' }} className="button">
          Choose a target
        </Link>
      </Empty>
    )
  return <HostsOf workspaceId={targetWorkspaceId} />
}

function HostsOf({ workspaceId }: { workspaceId: number }) {
  const query = useQuery(agentsQuery(workspaceId))
  const hosts = useMemo(() => (query.data ?? []).filter(isHost), [query.data])
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="hosts" />}
      {query.isSuccess && hosts.length === 0 && (
        <Empty title="No hosts yet">
          <p>A run waits for an agent of the target workspace before it deploys.</p>
          <Link
            to="/workspaces/$id"
            params={{ id: workspaceId }}
            search={{ tab: 'agents' }}
            className="button primary"
          >
            Go to its agents
          </Link>
        </Empty>
      )}
      {hosts.length > 0 && (
        <>
          <Releases workspaceId={workspaceId} hosts={hosts} />
          <AgentList workspaceId={workspaceId} hosts={hosts} onAct={undefined} />
        </>
      )}
    </>
  )
}

function Releases({ workspaceId, hosts }: { workspaceId: number; hosts: readonly Agent[] }) {
  const names = useReleaseNames(workspaceId)
  const groups = releaseGroups(hosts)
  return (
    <section className="section">
      <DataTable
        label="Releases"
        rows={groups.map((group) => ({ ...group, id: group.digest ?? 'none' }))}
        columns={[
          {
            title: 'Release',
            render: ({ digest, runId }) => {
              const name = names.get(runId ?? 0)
              if (digest === null) return 'no release'
              if (!name) return <code>{shortDigest(digest)}</code>
              return (
                <RunLink place={{ kind: 'pipeline', id: name.pipelineId, runId: name.runId }}>
                  {name.pipelineName}, Run #{name.number}
                </RunLink>
              )
            },
          },
          {
            title: 'Artifact',
            render: ({ digest }) => (digest === null ? '–' : <code>{shortDigest(digest)}</code>),
          },
          { title: 'Hosts', render: ({ count }) => count.toLocaleString() },
        ]}
      />
    </section>
  )
}
