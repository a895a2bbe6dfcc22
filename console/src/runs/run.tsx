import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { runQuery, workspaceQuery } from '../api/queries.ts'
import type { AnyRunDetail, RunDetail, RunPlace } from '../api/types.ts'
import { blockedWords, reasonWords } from '../api/words.ts'
import type { RunSearch } from '../app/searches.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { ApplicationRunShown } from './application-run.tsx'
import { Decision } from './decision.tsx'
import { LogView } from './log-view.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { PlanView } from '../infrastructure/plan-view.tsx'
import { nameOfRun, RunLink } from './run-row.tsx'
import { StageLine } from './stage-line.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { Time } from '../parts/time.tsx'
import { stageNow, stageOf } from './stage-of.ts'
import { useStageEnd } from './use-stage-end.ts'
import { RunFacts } from './run-facts.tsx'
import { RunTabs } from './run-tabs.tsx'
import { Timeline } from './run-timeline.tsx'

const pipelineRoute = getRouteApi('/app/pipelines/$id/runs/$runId')
const workspaceRoute = getRouteApi('/app/workspaces/$id/runs/$runId')

export function PipelineRunPage() {
  const { id, runId } = pipelineRoute.useParams()
  const place: RunPlace = { kind: 'pipeline', id, runId }
  return <RunPage place={place} search={pipelineRoute.useSearch()} />
}

export function WorkspaceRunPage() {
  const { id, runId } = workspaceRoute.useParams()
  const place: RunPlace = { kind: 'workspace', id, runId }
  return <RunPage place={place} search={workspaceRoute.useSearch()} />
}

function RunPage({ place, search }: { place: RunPlace; search: RunSearch }) {
  const query = useQuery(runQuery(place))
  const run = query.data?.run
  if (isGone(query.error)) return <Gone what="run" to="/workspaces" list="All workspaces" />
  if (!run)
    return (
      <>
        <PageHead above={<Link to="/workspaces">Workspaces</Link>} title="Run" />
        {query.isPending ? <Loading what="the run" /> : <ErrorNote error={query.error} goesOn />}
      </>
    )
  return isOfWorkspace(run) ? (
    <RunShown run={run} place={place} search={search} />
  ) : (
    <ApplicationRunShown run={run} place={place} search={search} />
  )
}

const isOfWorkspace = (run: AnyRunDetail): run is RunDetail => run.kind !== 'application'

function RunShown({ run, place, search }: { run: RunDetail; place: RunPlace; search: RunSearch }) {
  const { data } = useQuery(workspaceQuery(run.workspaceId))
  const workspace = data?.workspace.name ?? '…'
  const tab = search.tab ?? tabOf(run)
  const stage = search.stage ?? stageOf(run)
  const now = stageNow(run)
  const title = nameOfRun(run)
  // An open log of the current stage already listens for the end of that stage.
  useStageEnd(place, tab === 'log' && stage === now ? undefined : now)
  return (
    <>
      <PageHead
        above={
          <>
            <Link to="/workspaces">Workspaces</Link>
            <span aria-hidden="true">/</span>
            <Link to="/workspaces/$id" params={{ id: run.workspaceId }}>
              {workspace}
            </Link>
            {data?.workspace.criticality === 'production' && (
              <span className="tag">production</span>
            )}
          </>
        }
        title={title}
        tabTitle={`${title} · ${workspace}`}
        actions={<CancelButton run={run} place={place} />}
      >
        <p className="run-line">
          <StateBadge run={run} />
          {run.destroy && <span className="tag bad">destroy</span>}
          <span className="dim">
            started by {run.author.label}, <Time at={run.createdAt} />
          </span>
        </p>
        {run.startMessage && <p className="start-message">{run.startMessage}</p>}
      </PageHead>
      <StageLine run={run} />
      <Standing run={run} pipelineId={data?.workspace.pipelineId} />
      <Decision run={run} place={place} workspace={workspace} />
      <div className="run-columns">
        <div className="run-main">
          <RunTabs place={place} tab={tab} run={run} stage={stage} />
          {tab === 'plan' &&
            (run.plan ? (
              <PlanView first={run.plan} place={place} digest={run.planDigest} />
            ) : (
              <p className="dim">{noPlanWords(run)}</p>
            ))}
          {tab === 'log' && <LogView key={stage} place={place} stage={stage} line={search.line} />}
          {tab === 'timeline' && <Timeline run={run} />}
        </div>
        <RunFacts run={run} />
      </div>
    </>
  )
}

/** The default tab: the plan of a run that waits or succeeded, otherwise the log. */
const tabOf = (run: RunDetail): NonNullable<RunSearch['tab']> =>
  run.plan && (run.awaitingApproval || run.state === 'succeeded') ? 'plan' : 'log'

function noPlanWords({ planDigest, state, awaitingPlanApproval }: RunDetail): string {
  if (awaitingPlanApproval) return 'There is no plan before a second person has seen the files.'
  if (planDigest)
    return 'This plan was made by an earlier version of the service, which kept it in a form that is no longer shown. The log lists its changes.'
  return `${state === 'running' ? 'The plan is being made.' : 'This run made no plan.'} See the log for details.`
}

/** The reason why the run ended or makes no progress. */
function Standing({ run, pipelineId }: { run: RunDetail; pipelineId: number | undefined }) {
  const { blockedBy } = run
  return (
    <>
      {run.reason && (
        <div className={`note ${run.state === 'failed' ? 'bad' : 'quiet'}`}>
          <p>{reasonWords[run.reason]}</p>
          {run.message && <p className="message">{run.message}</p>}
        </div>
      )}
      {blockedBy && !run.awaitingApproval && !run.awaitingPlanApproval && (
        <p className="note quiet">
          {blockedWords(blockedBy)} Since <Time at={blockedBy.since ?? run.createdAt} />.{' '}
          {blockedBy.kind === 'turn' && blockedBy.id !== null && pipelineId && (
            <RunLink place={{ kind: 'pipeline', id: pipelineId, runId: blockedBy.id }}>
              Go to that run
            </RunLink>
          )}
        </p>
      )}
    </>
  )
}

function CancelButton({ run, place }: { run: RunDetail; place: RunPlace }) {
  const { may } = useMe()
  const params = { id: place.id, runId: place.runId }
  if (run.state !== 'running' || !may('mutate_infra')) return null
  const applying = run.stages.some(({ name, state }) => name === 'apply' && state === 'running')
  return (
    <ConfirmButton
      label={applying ? 'Interrupt the apply…' : 'Cancel run…'}
      tone={applying ? 'danger' : 'plain'}
      title={applying ? 'Interrupt the apply?' : 'Cancel this run?'}
      act={applying ? 'Interrupt it' : 'Cancel the run'}
      cancel="Let it go on"
      run={() =>
        place.kind === 'pipeline'
          ? call('cancelPipelineRun', { params, body: {} })
          : call('cancelWorkspaceRun', { params, body: {} })
      }
      refresh={['run', place.kind, place.id, place.runId]}
    >
      {applying
        ? 'OpenTofu completes the operations in progress and stops. The changes that it made by then remain, and are in the state.'
        : 'The run has changed nothing yet, and ends without a change.'}
    </ConfirmButton>
  )
}
