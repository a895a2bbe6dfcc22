import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { call } from '../api/call.ts'
import { workspacesQuery } from '../api/queries.ts'
import type { Run, Workspace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { useMe } from '../app/session.ts'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { RunRow } from '../parts/run-row.tsx'

/** Workspaces that are looked into at once; the list itself holds them all. */
const looksAt = 40
type Placed = { run: Run; workspace: Workspace }

/** What waits for me, what runs, what broke. */
export function HomePage() {
  const me = useMe()
  const list = useInfiniteQuery({ ...workspacesQuery, refetchInterval: 5_000 })
  const { hasNextPage, isFetching, fetchNextPage, data } = list
  useEffect(() => {
    if (hasNextPage && !isFetching && (data?.pages.length ?? 0) < 20) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage, data])
  const workspaces = data?.pages.flatMap((page) => page.workspaces) ?? []
  const moving = workspaces.filter((one) => one.lastRun?.state === 'running').slice(0, looksAt)
  const broken = workspaces.filter((one) => one.lastRun?.state === 'failed').slice(0, looksAt)
  const looked = useQueries({
    queries: [...moving, ...broken].map((workspace) => ({
      queryKey: ['pipelines', workspace.pipelineId, 'newest', workspace.lastRun?.number],
      queryFn: () =>
        call('listPipelineRuns', { params: { id: workspace.pipelineId }, query: { limit: 10 } }),
      refetchInterval: workspace.lastRun?.state === 'running' ? 5_000 : (false as const),
    })),
  })
  const placed: Placed[] = [...moving, ...broken].flatMap((workspace, at) =>
    (looked[at]?.data?.runs ?? []).map((run) => ({ run, workspace })),
  )
  const alive = placed.filter(({ run }) => run.state === 'running')
  const mine = alive.filter(
    ({ run }) => run.awaitingApproval && run.blockedBy?.whoCanAct.includes(me.label),
  )
  const running = alive.filter((one) => !mine.includes(one))
  const failed = broken.flatMap((workspace) => {
    const newest = placed.find((one) => one.workspace.id === workspace.id)
    return newest?.run.state === 'failed' ? [newest] : []
  })
  const ready = !list.isPending && looked.every((one) => !one.isPending)
  return (
    <>
      <PageHead title="Home" />
      <ErrorNote error={list.error} />
      {list.isPending && <Loading what="what is going on" />}
      {list.isSuccess && workspaces.length === 0 && <FirstStep />}
      {workspaces.length > 0 && (
        <>
          <Section title="Waits for you" rows={mine} ready={ready}>
            Nothing waits for you.
          </Section>
          <Section title="Running" rows={running} ready={ready}>
            Nothing runs. <Link to="/workspaces">Start a run from a workspace.</Link>
          </Section>
          <Section title="Broke last" rows={failed} ready={ready}>
            No workspace’s last run failed.
          </Section>
          <p className="dim">{plural(workspaces.length, 'workspace')} watched.</p>
        </>
      )}
    </>
  )
}

function Section(props: {
  title: string
  rows: Placed[]
  ready: boolean
  children: React.ReactNode
}) {
  const { title, rows, ready, children } = props
  return (
    <section className="section">
      <h2>
        {title} {rows.length > 0 && <span className="count">{rows.length}</span>}
      </h2>
      {rows.length > 0 ? (
        <ul className="rows">
          {rows.map(({ run, workspace }) => (
            <RunRow
              key={run.id}
              run={run}
              place={{ kind: 'pipeline', id: workspace.pipelineId, runId: run.id }}
              name={workspace.name}
              criticality={workspace.criticality}
            />
          ))}
        </ul>
      ) : (
        <p className="dim quiet-line">{ready ? children : 'Looking…'}</p>
      )}
    </section>
  )
}

function FirstStep() {
  const { may } = useMe()
  return (
    <Empty title="No workspaces yet">
      {may('mutate_infra') ? (
        <>
          <p>
            A workspace holds the files, the variables and the state of one piece of infrastructure.
          </p>
          <Link to="/workspaces" search={{ create: true }} className="button primary">
            Create the first workspace
          </Link>
        </>
      ) : (
        <p>Ask a person with the role Deployer or higher to create the first workspace.</p>
      )}
    </Empty>
  )
}
