import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { pipelineQuery } from '../api/queries.ts'
import type { Pipeline } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { LabelLinks } from '../parts/label-list.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { plainLine } from '../parts/plain-text.ts'
import { StartRun } from '../runs/start-run.tsx'
import { ApplicationPipeline } from './application-pipeline.tsx'
import { DescribePipeline } from './describe-pipeline.tsx'
import { PipelineRuns } from './pipeline-runs.tsx'
import { StartRelease } from './start-release.tsx'

const route = getRouteApi('/app/pipelines/$id')

export function PipelinePage() {
  const { id } = route.useParams()
  const { tab = 'runs' } = route.useSearch()
  const found = useQuery(pipelineQuery(id))
  const pipeline = found.data?.pipeline
  if (isGone(found.error)) return <Gone what="pipeline" to="/pipelines" list="All pipelines" />
  return (
    <>
      <PageHead
        above={<Link to="/pipelines">Pipelines</Link>}
        title={pipeline?.name ?? 'Pipeline'}
        actions={pipeline && <Actions pipeline={pipeline} />}
      >
        {pipeline && <About pipeline={pipeline} />}
        {pipeline?.description && (
          <p className="description">
            <bdi>{plainLine(pipeline.description)}</bdi>
          </p>
        )}
      </PageHead>
      <ErrorNote error={found.error} goesOn />
      {pipeline?.kind === 'application' ? (
        <ApplicationPipeline pipeline={pipeline} tab={tab} />
      ) : (
        <PipelineRuns id={id}>
          <p>A run plans what would change, checks it against policies and cost, and applies it.</p>
        </PipelineRuns>
      )}
    </>
  )
}

function Actions({ pipeline }: { pipeline: Pipeline }) {
  const { may } = useMe()
  const navigate = useNavigate()
  const { id, kind, name, managed, targetWorkspaceId } = pipeline
  if (!may('mutate_infra')) return null
  return (
    <>
      <DescribePipeline pipeline={pipeline} />
      {!managed && (
        <ConfirmButton
          label="Delete pipeline…"
          title={`Delete ${name}?`}
          act="Delete"
          run={() => call('deletePipeline', { params: { id } })}
          refresh={['pipelines', 'list']}
          onDone={() => navigate({ to: '/pipelines' })}
        >
          {kind === 'application'
            ? 'Its runs are deleted too, and its artifacts after 30 days. Hosts keep what they run.'
            : 'Its runs are deleted too. The resources that they applied stay unchanged.'}
        </ConfirmButton>
      )}
      {kind === 'infrastructure' && targetWorkspaceId !== null && (
        <StartRun workspaceId={targetWorkspaceId} {...(!managed && { pipelineId: id })} />
      )}
      {kind === 'application' && <StartRelease pipeline={pipeline} />}
    </>
  )
}

function About({ pipeline }: { pipeline: Pipeline }) {
  const { kind, targetWorkspaceId, targetWorkspaceName, criticality, appRepo } = pipeline
  const isApplication = kind === 'application'
  return (
    <p className="dim">
      {kind}
      {isApplication && appRepo && (
        <>
          {' from '}
          <bdi>{appRepo}</bdi>
        </>
      )}
      {targetWorkspaceId ? (
        <>
          {isApplication ? ' to the hosts of workspace ' : ' of workspace '}
          <Link
            to="/workspaces/$id"
            params={{ id: targetWorkspaceId }}
            search={isApplication ? { tab: 'agents' } : {}}
          >
            {targetWorkspaceName}
          </Link>
        </>
      ) : (
        isApplication && ', without a target: a run ends with its artifact'
      )}
      {criticality === 'production' &&
        `, production: each run waits for a second person before it ${isApplication ? 'deploys' : 'applies'}.`}
      <LabelLinks labels={pipeline.labels} to="/pipelines" />
    </p>
  )
}
