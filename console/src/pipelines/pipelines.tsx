import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { pipelinesQuery } from '../api/queries.ts'
import { FilterBox, foundWords, useAddressFilter } from '../parts/filter-box.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { PipelineRow } from './pipeline-row.tsx'
import { CreatePipeline } from './create-pipeline.tsx'

const route = getRouteApi('/app/pipelines')

export function PipelinesPage() {
  const navigate = useNavigate()
  const { filter, setFilter, q } = useAddressFilter(
    route.useSearch().q,
    (to) => void navigate({ to: '/pipelines', search: { ...(to && { q: to }) }, replace: true }),
  )
  const query = useInfiniteQuery(pipelinesQuery(q))
  const all = query.data?.pages.flatMap((page) => page.pipelines) ?? []
  return (
    <>
      <PageHead title="Pipelines" actions={<CreatePipeline />} />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="pipelines" />}
      {query.isSuccess && all.length === 0 && q === '' && (
        <Empty title="No pipelines yet">
          <p>
            Every workspace brings its own pipeline, which plans, waits for approval and applies.
          </p>
          <Link to="/workspaces" className="button primary">
            Go to the workspaces
          </Link>
        </Empty>
      )}
      {(all.length > 0 || filter !== '') && (
        <FilterBox
          label="Filter by name"
          value={filter}
          onChange={setFilter}
          found={foundWords(all.length, query.hasNextPage)}
        />
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
