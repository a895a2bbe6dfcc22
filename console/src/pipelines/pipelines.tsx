import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { FilterBox, foundWords, useAddressFilter } from '../parts/filter-box.tsx'
import { Check, Select } from '../parts/forms.tsx'
import { LabelFilter } from '../parts/label-filter.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { PipelineRow } from './pipeline-row.tsx'
import { CreatePipeline } from './create-pipeline.tsx'
import { pipelinesQuery } from './queries.ts'
import { pipelinesSearch, type PipelinesSearch, type PipelineSort } from './pipelines-search.ts'

const route = getRouteApi('/app/pipelines')

/** The pipelines that people made. Those that workspaces brought would repeat the list of workspaces. */
export function PipelinesPage() {
  const navigate = useNavigate()
  // The router adds what the route's validation left out of the address.
  const { create = false, ...address } = route.useSearch()
  const search = pipelinesSearch(address)
  const { managed = false } = search
  const show = (next: PipelinesSearch) =>
    void navigate({ to: '/pipelines', search: next, replace: true })
  const { filter, setFilter, q } = useAddressFilter(search.q, (typed) => {
    const { q: _before, ...others } = search
    show({ ...others, ...(typed && { q: typed }) })
  })
  const query = useInfiniteQuery(pipelinesQuery({ ...search, q }))
  const all = query.data?.pages.flatMap((page) => page.pipelines) ?? []
  return (
    <>
      <PageHead title="Pipelines" actions={<CreatePipeline begins={create} />} />
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
          onChange={({ target: { checked } }) => {
            const { managed: _before, ...others } = search
            show({ ...others, ...(checked && { managed: true }) })
          }}
        />
        <LabelFilter
          chosen={search.label ?? []}
          of={['pipelines']}
          onChange={(label) => {
            const { label: _before, ...others } = search
            show({ ...others, ...(label.length > 0 && { label }) })
          }}
        />
        <Order search={search} onChange={show} />
      </div>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="pipelines" />}
      {query.isSuccess &&
        all.length === 0 &&
        (q === '' && !search.label ? (
          <NoPipelines managed={managed} />
        ) : (
          <NothingMatches search={search} />
        ))}
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.pipelines.map((pipeline) => <PipelineRow key={pipeline.id} pipeline={pipeline} />)
        }
      </PagedRows>
      <LoadMore query={query} />
    </>
  )
}

const orders: Record<PipelineSort, string> = {
  name: 'by name',
  '-lastRunAt': 'newest run first',
  criticality: 'production first',
}

type OrderProps = { search: PipelinesSearch; onChange: (search: PipelinesSearch) => void }

const Order = ({ search, onChange }: OrderProps) => (
  <Select
    label="Order"
    value={search.sort ?? ''}
    onChange={({ target: { value } }) => {
      const { sort: _before, ...others } = search
      onChange(pipelinesSearch({ ...others, sort: value }))
    }}
  >
    <option value="">as created</option>
    {Object.entries(orders).map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </Select>
)

function NothingMatches({
  search: { q: _q, label: _label, ...others },
}: {
  search: PipelinesSearch
}) {
  return (
    <Empty title="No pipeline matches">
      <p>No name has this text, or none of the labels is on a pipeline.</p>
      <Link to="/pipelines" search={others} replace className="button">
        Clear the filter
      </Link>
    </Empty>
  )
}

const NoPipelines = ({ managed }: { managed: boolean }) => (
  <Empty title={managed ? 'No pipelines yet' : 'No pipelines of your own yet'}>
    <p>
      A pipeline of your own builds an application and brings it to hosts. Every workspace also
      brings its own pipeline, whose runs are on the page of the workspace.
    </p>
    <Link to="/workspaces" className="button primary">
      Go to the workspaces
    </Link>
  </Empty>
)
