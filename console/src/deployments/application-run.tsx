import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { pipelineQuery } from '../api/queries.ts'
import type { AnyRunDetail, Pipeline, RunPlace } from '../api/types.ts'
import type { RunSearch } from '../app/searches.ts'
import { PageHead } from '../parts/pages.tsx'
import { plainLine } from '../parts/plain-text.ts'
import { Time } from '../parts/time.tsx'
import type { Choice } from '../runs/decision-words.ts'
import { LogView } from '../runs/log-view.tsx'
import { nameOfRun } from '../runs/run-row.tsx'
import { RunCommentsShown } from '../runs/lazy-comments.tsx'
import { RunTabs } from '../runs/run-tabs.tsx'
import { TimelineShown } from '../runs/lazy-timeline.tsx'
import { StageLine } from '../runs/stage-line.tsx'
import { startMessageOf } from '../runs/start-message.ts'
import { stageNow, stageOf } from '../runs/stage-of.ts'
import { useStageEnd } from '../runs/use-stage-end.ts'
import { ReleaseBar } from './release-bar.tsx'
import { ReleaseChanges } from './release-changes.tsx'
import { ReleaseDecision } from './release-decision.tsx'
import { ReleaseEnding, ReleaseWarnings } from './release-ending.tsx'
import { ReleaseFacts } from './release-facts.tsx'
import { blockedReleaseWords, triggerWords } from './release-words.ts'
import { RunHosts } from './run-hosts.tsx'
import { applicationTab } from './application-tab.ts'

type Props = { run: AnyRunDetail; place: RunPlace; search: RunSearch }

/** A run of an application: its stages, what it brings, its hosts, and its artifact. */
export function ApplicationRunShown({ run, place, search }: Props) {
  // The newest run decides whether this one would be gone back to.
  const { data } = useQuery({ ...pipelineQuery(place.id), refetchInterval: 10_000 })
  const pipeline = data?.pipeline
  const tab = applicationTab(run, search.tab)
  const stage = search.stage ?? stageOf(run)
  const now = stageNow(run)
  const [choice, setChoice] = useState<Choice>()
  // An open log, and the list of hosts, already listen for the end of their stage.
  const listens = (tab === 'log' && stage === now) || (tab === 'hosts' && now === 'deploy')
  useStageEnd(place, listens ? undefined : now)
  const blocked = run.awaitingApproval ? undefined : blockedReleaseWords(run)
  return (
    <>
      <Head run={run} place={place} pipeline={pipeline} />
      <ReleaseBar run={run} place={place} pipeline={pipeline} onChoose={setChoice} />
      <StageLine run={run} />
      <ReleaseEnding run={run} place={place} />
      <ReleaseWarnings run={run} />
      {blocked && (
        <p className="note quiet">
          {blocked} Since <Time at={run.blockedBy?.since ?? run.createdAt} />.
        </p>
      )}
      <ReleaseDecision
        run={run}
        place={place}
        target={pipeline?.targetWorkspaceName ?? 'the target'}
        choice={choice}
        onClose={() => setChoice(undefined)}
      />
      <div className="run-columns">
        <div className="run-main">
          <RunTabs place={place} tab={tab} run={run} stage={stage} />
          {tab === 'hosts' && <RunHosts run={run} place={place} />}
          {tab === 'changes' && <ReleaseChanges run={run} place={place} />}
          {tab === 'log' && <LogView key={stage} place={place} stage={stage} line={search.line} />}
          {tab === 'comments' && <RunCommentsShown place={place} />}
          {tab === 'timeline' && <TimelineShown run={run} />}
        </div>
        <ReleaseFacts run={run} place={place} pipeline={pipeline} />
      </div>
    </>
  )
}

type HeadProps = { run: AnyRunDetail; place: RunPlace; pipeline: Pipeline | undefined }

function Head({ run, place, pipeline }: HeadProps) {
  const title = nameOfRun(run)
  const startMessage = startMessageOf(run)
  const name = pipeline?.name ?? '…'
  return (
    <PageHead
      above={
        <>
          <Link to="/pipelines">Pipelines</Link>
          <span aria-hidden="true">/</span>
          <Link to="/pipelines/$id" params={{ id: place.id }}>
            {name}
          </Link>
          {pipeline?.criticality === 'production' && (
            <span className="tag production">production</span>
          )}
        </>
      }
      title={title}
      tabTitle={`${title} · ${name}`}
    >
      <p className="run-line">
        {run.rollbackOf != null && <span className="tag warn">rollback</span>}
        {run.trigger?.kind === 'promotion' && <span className="tag">promotion</span>}
        <span className="dim">
          started by {triggerWords(run)}, <Time at={run.createdAt} />
        </span>
      </p>
      {startMessage && (
        <p className="start-message">
          <bdi>{plainLine(startMessage)}</bdi>
        </p>
      )}
    </PageHead>
  )
}
