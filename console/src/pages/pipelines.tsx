import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { pipelinesQuery } from '../api/queries.ts'
import { FilterBox, foundWords, useSettled } from '../parts/filter-box.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { CreatePipeline } from './create-pipeline.tsx'

export function PipelinesPage() {
  const [filter, setFilter] = useState('')
  const q = useSettled(filter)
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
      <ul className="rows">
        {all.map((pipeline) => (
          <li key={pipeline.id}>
            <Link to="/pipelines/$id" params={{ id: pipeline.id }} className="row">
              <span className="row-main">
                <span className="row-title">
                  <strong>{pipeline.name}</strong>
                  {pipeline.criticality === 'production' && <span className="tag">production</span>}
                </span>
                <span className="row-sub">
                  {pipeline.kind}
                  {pipeline.targetWorkspaceName && ` · workspace ${pipeline.targetWorkspaceName}`}
                </span>
              </span>
              {pipeline.lastRun ? (
                <>
                  <span className="dim num">#{pipeline.lastRun.number}</span>
                  <StateBadge run={pipeline.lastRun} />
                </>
              ) : (
                <span className="dim">no runs</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <LoadMore query={query} />
    </>
  )
}
