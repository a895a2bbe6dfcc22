import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { FilterBox, foundWords, useAddressFilter } from '../parts/filter-box.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { CreateWorkspace } from './create-workspace.tsx'
import { NoWorkspaces } from './no-workspaces.tsx'
import { withFavorite, type OwnLists } from './own-lists.ts'
import { listedWorkspacesQuery } from './queries.ts'
import { useOwnLists } from './use-own-lists.ts'
import { WorkspaceRow } from './workspace-row.tsx'
import { WorkspaceSorts } from './workspace-sorts.tsx'
import { WorkspaceViews } from './workspace-views.tsx'
import { WorkspacesFilter } from './workspaces-filter.tsx'
import { isFiltered, workspacesSearch, type WorkspacesSearch } from './workspaces-search.ts'

const route = getRouteApi('/app/workspaces')
/** The list is quick, so a filter need not wait as long as others do. */
const typingMs = 80

/** The workspaces. Filters and order are in the address. */
export function WorkspacesPage() {
  const { create = false, ...address } = route.useSearch()
  // The router adds what the route's validation left out of the address.
  const search = workspacesSearch(address)
  const navigate = useNavigate()
  const { lists, change } = useOwnLists()
  const show = (next: Address) => void navigate({ to: '/workspaces', search: next, replace: true })
  const { filter, setFilter, asked, query, pages, count } = useListed(search, lists)
  const onFavorite = useCallback(
    (id: number, isOne: boolean) => change((now) => withFavorite(now, id, isOne)),
    [change],
  )
  const isEmpty = query.isSuccess && count === 0
  const isWhole = !isFiltered(asked) && filter === '' && search.view === undefined
  const createButton = <CreateButton onCreate={() => show({ ...search, create: true })} />
  return (
    <>
      <PageHead title="Workspaces" actions={!(isEmpty && isWhole) && createButton} />
      {!(isEmpty && isWhole) && (
        <>
          <WorkspaceViews search={search} lists={lists} change={change} />
          <div className="run-search workspace-search">
            <FilterBox
              label="Filter by name"
              value={filter}
              onChange={setFilter}
              found={foundWords(count, query.hasNextPage)}
            />
            <WorkspacesFilter search={search} onChange={show} />
          </div>
        </>
      )}
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="workspaces" />}
      {isEmpty && <NoWorkspaces search={asked}>{createButton}</NoWorkspaces>}
      {count > 0 && (
        <WorkspaceSorts
          sort={search.sort ?? (search.view === 'recent' ? undefined : 'name')}
          onSort={(sort) => show({ ...search, sort })}
        />
      )}
      <WorkspaceRows pages={pages} favorites={lists.favorites} onFavorite={onFavorite} />
      <LoadMore query={query} />
      {create && <CreateWorkspace search={search} onClose={() => show(search)} />}
    </>
  )
}

type Address = WorkspacesSearch & { create?: boolean }

/** What the search finds, with what is typed and not yet in the address. */
function useListed(search: WorkspacesSearch, lists: OwnLists) {
  const navigate = useNavigate()
  const write = (typed?: string) =>
    void navigate({
      to: '/workspaces',
      // Of the address as it is by then: another filter may have been chosen while somebody typed.
      search: (now: object) => withText(workspacesSearch({ ...now }), typed),
      replace: true,
    })
  const { filter, setFilter, q } = useAddressFilter(search.q, write, typingMs)
  const asked = withText(search, q)
  const query = useInfiniteQuery(listedWorkspacesQuery(asked, lists))
  const pages = query.data?.pages.map(({ workspaces }) => inOrder(workspaces, asked, lists)) ?? []
  const count = pages.reduce((sum, rows) => sum + rows.length, 0)
  return { filter, setFilter, asked, query, pages, count }
}

const withText = ({ q: _before, ...others }: WorkspacesSearch, q?: string): WorkspacesSearch => ({
  ...others,
  ...(q && { q }),
})

type RowsProps = {
  pages: ReadonlyArray<readonly Workspace[]>
  favorites: readonly number[]
  onFavorite: (id: number, isOne: boolean) => void
}

const WorkspaceRows = ({ pages, favorites, onFavorite }: RowsProps) => (
  <PagedRows pages={pages}>
    {(rows) =>
      rows.map((workspace) => (
        <WorkspaceRow
          key={workspace.id}
          workspace={workspace}
          isFavorite={favorites.includes(workspace.id)}
          onFavorite={onFavorite}
        />
      ))
    }
  </PagedRows>
)

function CreateButton({ onCreate }: { onCreate: () => void }) {
  const { may } = useMe()
  return (
    may('mutate_infra') && (
      <Button tone="primary" data-key="c" onClick={onCreate}>
        New workspace
      </Button>
    )
  )
}

/** Recent workspaces have an order that only the browser knows. */
function inOrder(
  rows: readonly Workspace[],
  { view, sort }: WorkspacesSearch,
  { recents }: OwnLists,
): readonly Workspace[] {
  if (view !== 'recent' || sort) return rows
  return rows.toSorted((a, b) => recents.indexOf(a.id) - recents.indexOf(b.id))
}
