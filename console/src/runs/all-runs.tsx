import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ListedRun } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { FilterBox, foundWords, useAddressFilter } from '../parts/filter-box.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { AllRunsFilter } from './all-runs-filter.tsx'
import { EndRuns } from './end-runs.tsx'
import { ListedRunRow } from './listed-run-row.tsx'
import { runsQuery } from './queries.ts'
import { queryOf, runsSearch, type RunsSearch } from './runs-search.ts'

const route = getRouteApi('/app/runs')

/** The runs of all workspaces and applications. The filters and the order are in the address. */
export function AllRunsPage() {
  // The router adds what the route's validation left out of the address.
  const search = runsSearch(route.useSearch())
  const navigate = useNavigate()
  const { may } = useMe()
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set())
  const show = (next: RunsSearch) => void navigate({ to: '/runs', search: next, replace: true })
  const { filter, setFilter, q } = useAddressFilter(search.q, (typed) => {
    const { q: _before, ...others } = search
    show({ ...others, ...(typed && { q: typed }) })
  })
  const query = useInfiniteQuery({
    ...runsQuery(queryOf({ ...search, q }), 50),
    placeholderData: keepPreviousData,
  })
  const rows = query.data?.pages.flatMap(({ runs }) => runs) ?? []
  const isFiltered = Object.keys(search).some((name) => name !== 'sort')
  const pick = (id: number, on: boolean) =>
    setPicked((before) => new Set(on ? [...before, id] : [...before].filter((one) => one !== id)))
  return (
    <>
      <PageHead title="Runs" />
      <div className="run-search">
        <FilterBox
          label="Search by name or message"
          value={filter}
          onChange={setFilter}
          found={foundWords(rows.length, query.hasNextPage)}
        />
        <AllRunsFilter search={search} onChange={show} />
      </div>
      {isFiltered && <ClearFilters />}
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="runs" />}
      {query.isSuccess && rows.length === 0 && <NoRuns isFiltered={isFiltered} />}
      {may('mutate_infra') && (
        <EndRuns
          // One that ended, or that a filter hides, is not picked any more.
          runs={rows.filter((run) => picked.has(run.id) && mayEnd(run))}
          pickable={rows.filter(mayEnd)}
          onPick={(ids) => setPicked(new Set(ids))}
        />
      )}
      <PagedRows pages={query.error ? [] : query.data?.pages}>
        {({ runs }) =>
          runs.map((run) => (
            <ListedRunRow
              key={run.id}
              run={run}
              isPicked={picked.has(run.id)}
              {...(may('mutate_infra') && { onPick: mayEnd(run) ? pick : null })}
            />
          ))
        }
      </PagedRows>
      <LoadMore query={query} />
    </>
  )
}

const mayEnd = ({ mayCancel, mayReject }: ListedRun): boolean => mayCancel || mayReject

function ClearFilters() {
  return (
    <p className="run-search-clear">
      <Link to="/runs" search={{}} replace>
        Clear all filters
      </Link>
    </p>
  )
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No run matches">
      <p>Change or clear the filters.</p>
    </Empty>
  ) : (
    <Empty title="No runs yet">
      <p>
        A run plans what would change in a workspace and applies it, or builds an application and
        deploys it.
      </p>
      <Link to="/workspaces" className="button primary">
        Go to the workspaces
      </Link>
    </Empty>
  )
}
