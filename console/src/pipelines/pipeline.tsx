import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { pipelineQuery, pipelineRunsQuery } from '../api/queries.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { LabelLinks } from '../parts/label-list.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { plainLine } from '../parts/plain-text.ts'
import { DescribePipeline } from './describe-pipeline.tsx'
import { RunRow } from '../runs/run-row.tsx'
import { StartRun } from '../runs/start-run.tsx'

const route = getRouteApi('/app/pipelines/$id')

export function PipelinePage() {
  const { id } = route.useParams()
  const { may } = useMe()
  const navigate = useNavigate()
  const found = useQuery(pipelineQuery(id))
  const runs = useInfiniteQuery(pipelineRunsQuery(id))
  const pipeline = found.data?.pipeline
  if (isGone(found.error)) return <Gone what="pipeline" to="/pipelines" list="All pipelines" />
  const all = runs.data?.pages.flatMap((page) => page.runs) ?? []
  return (
    <>
      <PageHead
        above={<Link to="/pipelines">Pipelines</Link>}
        title={pipeline?.name ?? 'Pipeline'}
        actions={
          pipeline &&
          may('mutate_infra') && (
            <>
              <DescribePipeline pipeline={pipeline} />
              {!pipeline.managed && (
                <ConfirmButton
                  label="Delete pipeline…"
                  title={`Delete ${pipeline.name}?`}
                  act="Delete"
                  run={() => call('deletePipeline', { params: { id } })}
                  refresh={['pipelines', 'list']}
                  onDone={() => navigate({ to: '/pipelines' })}
                >
                  Its runs are deleted too. The resources that they applied stay unchanged.
                </ConfirmButton>
              )}
              {pipeline.kind === 'infrastructure' && pipeline.targetWorkspaceId !== null && (
                <StartRun
                  workspaceId={pipeline.targetWorkspaceId}
                  {...(!pipeline.managed && { pipelineId: id })}
                />
              )}
            </>
          )
        }
      >
        {pipeline && (
          <p className="dim">
            {pipeline.kind}
            {pipeline.targetWorkspaceId && (
              <>
                {' of workspace '}
                <Link to="/workspaces/$id" params={{ id: pipeline.targetWorkspaceId }}>
                  {pipeline.targetWorkspaceName}
                </Link>
              </>
            )}
            {pipeline.criticality === 'production' &&
              ', production: each run waits for a second person before it applies.'}
            <LabelLinks labels={pipeline.labels} to="/pipelines" />
          </p>
        )}
        {pipeline?.description && (
          <p className="description">
            <bdi>{plainLine(pipeline.description)}</bdi>
          </p>
        )}
      </PageHead>
      <ErrorNote error={found.error ?? runs.error} />
      {runs.isPending && <Loading what="runs" />}
      {runs.isSuccess && all.length === 0 && (
        <Empty title="No runs yet">
          <p>A run plans what would change, checks it against policies and cost, and applies it.</p>
        </Empty>
      )}
      <PagedRows pages={runs.data?.pages}>
        {(page) =>
          page.runs.map((run) => (
            <RunRow key={run.id} run={run} place={{ kind: 'pipeline', id, runId: run.id }} />
          ))
        }
      </PagedRows>
      <LoadMore query={runs} />
    </>
  )
}
