import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { runQuery, workspaceQuery } from '../api/queries.ts'
import type { RunDetail, RunPlace } from '../api/types.ts'
import { blockedWords } from '../api/words.ts'
import type { RunSearch } from '../app/searches.ts'
import type { Choice } from './decision-words.ts'
import { Decision } from './decision.tsx'
import { isOfWorkspace } from './is-of-workspace.ts'
import { RunCommentsShown } from './lazy-comments.tsx'
import { CompareRunsShown } from './lazy-compare.tsx'
import { LogView } from './log-view.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { PlanTab } from './plan-tab.tsx'
import { nameOfRun, RunLink } from './run-row.tsx'
import { StageLine } from './stage-line.tsx'
import { runLook } from '../parts/run-look.ts'
import { Time } from '../parts/time.tsx'
import { startMessageOf } from './start-message.ts'
import { stageNow, stageOf } from './stage-of.ts'
import { useStageEnd } from './use-stage-end.ts'
import { RunBar } from './run-bar.tsx'
import { RunChecks } from './run-checks.tsx'
import { RunEnding } from './run-ending.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunSuccess } from './run-success.tsx'
import { RunTabs } from './run-tabs.tsx'
import { TimelineShown } from './lazy-timeline.tsx'
import { plainText } from '../parts/plain-text.ts'
import { lazyPart } from '../parts/lazy-part.tsx'

/** Most runs are of workspaces, so it is a script of its own. */
const ApplicationRunShown = lazyPart(async () => ({
  default: (await import('../deployments/application-run.tsx')).ApplicationRunShown,
}))

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
  return (
    <>
      {/* Of the last refetch: what is below is older than it looks. */}
      <ErrorNote error={query.error} goesOn />
      {isOfWorkspace(run) ? (
        <RunShown run={run} place={place} search={search} />
      ) : (
        <Suspense fallback={<Loading what="the run" />}>
          <ApplicationRunShown run={run} place={place} search={search} />
        </Suspense>
      )}
    </>
  )
}

function RunShown({ run, place, search }: { run: RunDetail; place: RunPlace; search: RunSearch }) {
  const { data } = useQuery(workspaceQuery(run.workspaceId))
  const workspace = data?.workspace.name ?? '…'
  const tab = search.tab ?? tabOf(run)
  const stage = search.stage ?? stageOf(run)
  const now = stageNow(run)
  const title = nameOfRun(run)
  const startMessage = startMessageOf(run)
  const [choice, setChoice] = useState<Choice>()
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
              <span className="tag production">production</span>
            )}
          </>
        }
        title={title}
        tabTitle={`${title} · ${workspace}`}
      >
        <p className="run-line">
          {run.destroy && <span className="tag bad">destroy</span>}
          <span className="dim">
            started by {run.author.label}, <Time at={run.createdAt} />
          </span>
        </p>
        {startMessage && <p className="start-message">{plainText(startMessage)}</p>}
      </PageHead>
      <RunBar run={run} place={place} onChoose={setChoice} />
      <StageLine run={run} />
      <RunEnding run={run} place={place} />
      <RunSuccess run={run} />
      <Blocked run={run} pipelineId={data?.workspace.pipelineId} />
      <Decision {...{ run, place, workspace, choice }} onClose={() => setChoice(undefined)} />
      <div className="run-columns">
        <div className="run-main">
          <RunTabs place={place} tab={tab} run={run} stage={stage} other={search.with} />
          {tab === 'plan' &&
            (run.plan ? (
              <PlanTab {...{ run, place, workspace, search }} plan={run.plan} />
            ) : (
              <p className="dim">{noPlanWords(run)}</p>
            ))}
          {tab === 'compare' && search.with && <CompareRunsShown run={run} other={search.with} />}
          {tab === 'checks' && <RunChecks run={run} />}
          {tab === 'log' && <LogView key={stage} place={place} stage={stage} line={search.line} />}
          {tab === 'comments' && <RunCommentsShown place={place} />}
          {tab === 'timeline' && <TimelineShown run={run} />}
        </div>
        <RunFacts run={run} />
      </div>
    </>
  )
}

/** The default tab: the log of a run that works or failed with an error, otherwise its plan. */
const tabOf = (run: RunDetail): NonNullable<RunSearch['tab']> =>
  run.plan && (run.awaitingApproval || !['Running', 'Failed'].includes(runLook(run).word))
    ? 'plan'
    : 'log'

function noPlanWords({ planDigest, state, awaitingPlanApproval }: RunDetail): string {
  if (awaitingPlanApproval) return 'There is no plan before a second person has seen the files.'
  if (planDigest)
    return 'This plan was made by an earlier version of the service, which kept it in a form that is no longer shown. The log lists its changes.'
  return `${state === 'running' ? 'The plan is being made.' : 'This run made no plan.'} See the log for details.`
}

/** The reason why the run makes no progress. */
function Blocked({ run, pipelineId }: { run: RunDetail; pipelineId: number | undefined }) {
  const { blockedBy } = run
  if (!blockedBy || run.awaitingApproval || run.awaitingPlanApproval) return null
  return (
    <p className="note quiet">
      {blockedWords(blockedBy)} Since <Time at={blockedBy.since ?? run.createdAt} />.{' '}
      {blockedBy.kind === 'turn' && blockedBy.id !== null && pipelineId && (
        <RunLink place={{ kind: 'pipeline', id: pipelineId, runId: blockedBy.id }}>
          Go to that run
        </RunLink>
      )}
    </p>
  )
}
