import { Link } from '@tanstack/react-router'
import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import type { RunSearch } from '../app/searches.ts'
import { Tabs } from '../parts/tabs.tsx'

const logNames: Readonly<Record<string, string>> = {
  plan: 'Plan log',
  apply: 'Apply log',
  source: 'Source log',
  build: 'Build log',
  deploy: 'Deploy log',
}

type Props = {
  place: RunPlace
  tab: NonNullable<RunSearch['tab']>
  run: Pick<AnyRunDetail, 'kind' | 'stages' | 'workspaceId' | 'commentCount'>
  stage: string
  /** The run that this one is compared with. */
  other?: number | undefined
}

/** The views of a run. Each view has its own URL, so the tabs are links. */
export function RunTabs({ place, tab, run, stage, other }: Props) {
  const logged = run.stages.filter(({ name }) => name !== 'approve')
  return (
    <Tabs label="Views of this run">
      {run.kind !== 'application' && (
        <>
          <TabLink place={place} search={{ tab: 'plan' }} current={tab === 'plan'}>
            Plan
          </TabLink>
          <TabLink place={place} search={{ tab: 'checks' }} current={tab === 'checks'}>
            Checks
          </TabLink>
        </>
      )}
      {run.kind === 'application' && (
        <>
          {run.workspaceId !== null && (
            <TabLink place={place} search={{ tab: 'hosts' }} current={tab === 'hosts'}>
              Hosts
            </TabLink>
          )}
          <TabLink place={place} search={{ tab: 'changes' }} current={tab === 'changes'}>
            Changes
          </TabLink>
        </>
      )}
      {logged.map(({ name, startedAt }) => (
        <TabLink
          key={name}
          place={place}
          search={{ tab: 'log', stage: name }}
          current={tab === 'log' && stage === name}
          dim={startedAt === null}
        >
          {logNames[name] ?? `Log of ${name}`}
        </TabLink>
      ))}
      <TabLink place={place} search={{ tab: 'comments' }} current={tab === 'comments'}>
        Comments{run.commentCount > 0 && <span className="count">{run.commentCount}</span>}
      </TabLink>
      <TabLink place={place} search={{ tab: 'timeline' }} current={tab === 'timeline'}>
        Timeline
      </TabLink>
      {tab === 'compare' && other && (
        <TabLink place={place} search={{ tab, with: other }} current>
          Comparison
        </TabLink>
      )}
    </Tabs>
  )
}

type TabProps = {
  place: RunPlace
  search: RunSearch
  current: boolean
  dim?: boolean
  children: React.ReactNode
}

const TabLink = ({ current, dim = false, ...rest }: TabProps) => (
  <RunViewLink
    {...rest}
    className={`tab ${current ? 'current' : ''} ${dim ? 'faint' : ''}`}
    current={current}
  />
)

type ViewProps = {
  place: RunPlace
  search: RunSearch
  className?: string
  current?: boolean
  children: React.ReactNode
}

/** A link to a view of the run that is shown. */
export function RunViewLink({ place, search, className, current = false, children }: ViewProps) {
  const shown = {
    params: { id: place.id, runId: place.runId },
    search,
    className,
    replace: true,
    resetScroll: false,
    activeProps: {},
    'aria-current': current ? ('page' as const) : undefined,
  }
  return place.kind === 'pipeline' ? (
    <Link to="/pipelines/$id/runs/$runId" {...shown}>
      {children}
    </Link>
  ) : (
    <Link to="/workspaces/$id/runs/$runId" {...shown}>
      {children}
    </Link>
  )
}
