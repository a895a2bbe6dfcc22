import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { workspaceQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { CloudAccountLink } from '../clouds/account-field.tsx'
import { workspaceTabs, type WorkspaceSearch, type WorkspaceTab } from '../app/searches.ts'
import { StartRun } from '../runs/start-run.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { LabelLinks } from '../parts/label-list.tsx'
import { plainLine } from '../parts/plain-text.ts'
import { FavoriteButton } from './favorite-button.tsx'
import { FilesOfVersion } from './files-of-version.tsx'
import { FilesHistory } from './files-history.tsx'
import { Files } from './workspace-files.tsx'
import { WorkspaceGit } from '../git/workspace-git.tsx'
import { withFavorite, withRecent } from './own-lists.ts'
import { useOwnLists } from './use-own-lists.ts'
import { LockControl } from './workspace-lock.tsx'
import { WorkspaceRuns } from './workspace-runs.tsx'
import { Settings } from './workspace-settings.tsx'
import { State } from './workspace-state.tsx'
import { Variables } from './workspace-variables.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'

const route = getRouteApi('/app/workspaces/$id')

/** The chart is a script of its own. */
const WorkspaceCostTab = lazyPart(async () => ({
  default: (await import('../cost/workspace-cost.tsx')).WorkspaceCostTab,
}))

const WorkspaceAgents = lazyPart(async () => ({
  default: (await import('../agents/workspace-agents.tsx')).WorkspaceAgents,
}))

const StateVersionView = lazyPart(async () => ({
  default: (await import('./state/state-version.tsx')).StateVersionView,
}))

const titles: Record<WorkspaceTab, string> = {
  runs: 'Runs',
  files: 'Files',
  git: 'Git',
  variables: 'Variables',
  agents: 'Agents',
  state: 'State and outputs',
  cost: 'Cost',
  settings: 'Settings',
}

export function WorkspacePage() {
  const { id } = route.useParams()
  const search = route.useSearch()
  const { tab = 'runs', version } = search
  const query = useQuery({
    ...workspaceQuery(id),
    refetchInterval: ({ state }) => (isGone(state.error) ? false : 10_000),
  })
  const workspace = query.data?.workspace
  const { lists, change } = useOwnLists()
  const isFound = workspace !== undefined
  useEffect(() => {
    if (isFound) change((now) => withRecent(now, id))
  }, [isFound, id, change])
  if (isGone(query.error)) return <Gone what="workspace" to="/workspaces" list="All workspaces" />
  if (!workspace)
    return (
      <>
        <PageHead above={<Link to="/workspaces">Workspaces</Link>} title="Workspace" />
        {query.isPending ? (
          <Loading what="the workspace" />
        ) : (
          <ErrorNote error={query.error} goesOn />
        )}
      </>
    )
  return (
    <>
      <PageHead
        above={<Link to="/workspaces">Workspaces</Link>}
        title={workspace.name}
        tabTitle={`${titles[tab]} · ${workspace.name}`}
        actions={
          <>
            <FavoriteButton
              name={workspace.name}
              isOne={lists.favorites.includes(id)}
              onChange={(isOne) => change((now) => withFavorite(now, id, isOne))}
            />
            <LockControl workspace={workspace} />
            <span className="with-key" data-key="c">
              <StartRun workspaceId={workspace.id} begins={search.start === true} />
            </span>
          </>
        }
      >
        {workspace.description && (
          <p className="description">
            <bdi>{plainLine(workspace.description)}</bdi>
          </p>
        )}
        <p className="run-line dim">
          {workspace.criticality === 'production' && (
            <span className="tag production">production</span>
          )}
          {workspace.needsRefresh && (
            <span className="tag bad">
              the last apply did not succeed: plan again to see what is left
            </span>
          )}
          {workspace.locked && (
            <span>
              Locked by {workspace.locked.holder.label}
              {workspace.locked.reason && `: ${plainLine(workspace.locked.reason)}`}
            </span>
          )}
          {workspace.cloudAccountId !== null && <CloudAccountLink id={workspace.cloudAccountId} />}
          <LabelLinks labels={workspace.labels} to="/workspaces" />
        </p>
      </PageHead>
      {/* Of the last refetch: what is on the page is older than it looks. */}
      <ErrorNote error={query.error} goesOn />
      <Tabs label="Parts of this workspace">
        {workspaceTabs.map((one) => (
          <Link
            key={one}
            {...(one === 'files' && { 'data-key': 'e' })}
            to="/workspaces/$id"
            params={{ id }}
            search={one === 'runs' ? {} : { tab: one }}
            // Without `exact` the link without a search is current on every tab.
            activeOptions={{ exact: true }}
            className={one === tab ? 'tab current' : 'tab'}
            aria-current={one === tab ? 'page' : undefined}
          >
            {titles[one]}
          </Link>
        ))}
      </Tabs>
      {tab === 'files' && version !== undefined && !search.history ? (
        <FilesOfVersion workspace={workspace} version={version} />
      ) : (
        <Tab tab={tab} workspace={workspace} search={search} />
      )}
    </>
  )
}

type TabProps = { tab: WorkspaceTab; workspace: Workspace; search: WorkspaceSearch }

function Tab({ tab, workspace, search }: TabProps) {
  switch (tab) {
    case 'runs':
      return <WorkspaceRuns workspace={workspace} />
    case 'files':
      return search.history ? (
        <FilesHistory workspace={workspace} newer={search.version} older={search.with} />
      ) : (
        <Files workspace={workspace} file={search.file} line={search.line} upload={search.upload} />
      )
    case 'git':
      return <WorkspaceGit workspace={workspace} />
    case 'variables':
      return <Variables id={workspace.id} />
    case 'agents':
      return (
        <Suspense fallback={<Loading what="agents" />}>
          <WorkspaceAgents workspace={workspace} />
        </Suspense>
      )
    case 'state':
      return search.version === undefined ? (
        <State workspace={workspace} />
      ) : (
        <Suspense fallback={<Loading what="the state" />}>
          <StateVersionView id={workspace.id} version={search.version} other={search.with} />
        </Suspense>
      )
    case 'cost':
      return (
        <Suspense fallback={<Loading what="the cost" />}>
          <WorkspaceCostTab workspace={workspace} search={search} />
        </Suspense>
      )
    case 'settings':
      return <Settings key={workspace.id} workspace={workspace} />
  }
}
