import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { FilterBox } from '../parts/filter-box.tsx'
import { Select } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { offeredStates } from '../parts/offered-states.ts'
import { WindowedList } from '../parts/windowed-list.tsx'
import { DeploymentBar } from './deployment-bar.tsx'
import { HostRow } from './host-row.tsx'
import { hostItems, type HostItem } from './hosts-by-batch.ts'
import { hasDeployment, isDeploying } from './has-deployment.ts'
import { runHostsQuery } from './queries.ts'
import { hostLooks, hostStates, whatItReleases } from './release-words.ts'
import { useLastLines } from './use-last-lines.ts'

type Props = { run: AnyRunDetail; place: RunPlace }

/** The hosts of a deployment by batch, live. Only the rows near the window are in the document. */
export function RunHosts({ run, place }: Props) {
  const [q, setQ] = useState('')
  const [typedState, setTypedState] = useState('')
  const state = hostStates.find((one) => one === typedState)
  const enabled = hasDeployment(run)
  const query = useQuery({
    ...runHostsQuery({ pipelineId: place.id, runId: place.runId, endedAt: run.endedAt }),
    enabled,
  })
  const lines = useLastLines(place, isDeploying(run))
  const hosts = query.data ?? noHosts
  const items = useMemo(() => hostItems(hosts, { q, state }), [hosts, q, state])
  const states = offeredStates(hostStates, hosts, state)
  if (enabled && query.isPending) return <Loading what="hosts" />
  if (hosts.length === 0)
    return query.error ? <ErrorNote error={query.error} goesOn /> : <NoHosts run={run} />
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {run.deployment && run.deployment.batch > 0 && <DeploymentBar deployment={run.deployment} />}
      <div className="list-filter">
        <FilterBox
          label="Filter by name"
          value={q}
          onChange={setQ}
          found={plural(items.filter(({ kind }) => kind === 'host').length, 'host')}
        />
        <Select
          label="State"
          value={typedState}
          onChange={({ target }) => setTypedState(target.value)}
        >
          <option value="">all</option>
          {states.map((one) => (
            <option key={one} value={one}>
              {hostLooks[one].word}
            </option>
          ))}
        </Select>
      </div>
      <WindowedList
        label="Hosts by batch"
        items={items}
        keyOf={keyOf}
        sizeKeyOf={keyOf}
        guess={guess}
        render={(item) =>
          item.kind === 'head' ? (
            <h2 className="batch-head">
              {item.title} <span className="count">{item.count.toLocaleString()}</span>
            </h2>
          ) : (
            <HostRow host={item.host} place={place} last={lines.get(item.host.agent.name)} />
          )
        }
      />
    </>
  )
}

const noHosts: never[] = []
const keyOf = ({ key }: HostItem) => key
const guess = ({ kind }: HostItem) => (kind === 'head' ? 52 : 40)

function NoHosts({ run }: { run: AnyRunDetail }) {
  if (run.state !== 'running')
    return <p className="dim">The run ended before a host began with it.</p>
  return (
    <Empty title="No host has it yet">
      <p>{run.deployment ? whatItReleases(run) : 'The artifact is not built yet.'}</p>
      {run.workspaceId !== null && run.deployment?.hosts.total === 0 && (
        <Link
          to="/workspaces/$id"
          params={{ id: run.workspaceId }}
          search={{ tab: 'agents' }}
          className="button primary"
        >
          Go to the agents of the target
        </Link>
      )}
    </Empty>
  )
}
