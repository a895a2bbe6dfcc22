import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { FilterBox, foundWords, useAddressFilter } from '../parts/filter-box.tsx'
import { Check } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { PipelineRow } from './pipeline-row.tsx'
import { CreatePipeline } from './create-pipeline.tsx'
import { pipelinesQuery } from './queries.ts'
import type { PipelinesSearch } from './pipelines-search.ts'

const route = getRouteApi('/app/pipelines')

/** The pipelines that people made. Those that workspaces brought would repeat the list of workspaces. */
export function PipelinesPage() {
  const navigate = useNavigate()
  const search = route.useSearch()
  const { managed = false } = search
  const show = (next: PipelinesSearch) =>
    void navigate({ to: '/pipelines', search: next, replace: true })
  const { filter, setFilter, q } = useAddressFilter(search.q, (typed) =>
    show({ ...(managed && { managed }), ...(typed && { q: typed }) }),
  )
  const query = useInfiniteQuery(pipelinesQuery(q, managed))
  const all = query.data?.pages.flatMap((page) => page.pipelines) ?? []
  return (
    <>
      <PageHead title="Pipelines" actions={<CreatePipeline />} />
      <div className="list-filter">
        <FilterBox
          label="Filter by name"
          value={filter}
          onChange={setFilter}
          found={foundWords(all.length, query.hasNextPage)}
        />
        <Check
          label="Show the pipelines of workspaces"
          checked={managed}
          onChange={({ target: { checked } }) =>
            show({ ...(q && { q }), ...(checked && { managed: true }) })
          }
        />
      </div>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="pipelines" />}
      {query.isSuccess && all.length === 0 && q === '' && (
        <Empty title={managed ? 'No pipelines yet' : 'No pipelines of your own yet'}>
          <p>
            Every workspace brings its own pipeline, which plans, waits for approval and applies.
            Its runs are on the page of the workspace.
          </p>
          <Link to="/workspaces" className="button primary">
            Go to the workspaces
          </Link>
        </Empty>
      )}
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.pipelines.map((pipeline) => <PipelineRow key={pipeline.id} pipeline={pipeline} />)
        }
      </PagedRows>
      <LoadMore query={query} />
    </>
  )
}
