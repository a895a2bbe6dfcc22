import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { pipelineQuery } from '../api/queries.ts'
import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import type { RunSearch } from '../app/searches.ts'
import { PageHead } from '../parts/pages.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { Time } from '../parts/time.tsx'
import { LogView } from './log-view.tsx'
import { nameOfRun } from './run-row.tsx'
import { RunTabs } from './run-tabs.tsx'
import { Timeline } from './run-timeline.tsx'
import { StageLine } from './stage-line.tsx'
import { stageNow, stageOf } from './stage-of.ts'
import { useStageEnd } from './use-stage-end.ts'

type Props = { run: AnyRunDetail; place: RunPlace; search: RunSearch }

/** A run of an application: its stages with their logs. It has no plan. */
export function ApplicationRunShown({ run, place, search }: Props) {
  const { data } = useQuery(pipelineQuery(place.id))
  const pipeline = data?.pipeline.name ?? '…'
  const tab = search.tab === 'timeline' ? 'timeline' : 'log'
  const stage = search.stage ?? stageOf(run)
  const now = stageNow(run)
  const title = nameOfRun(run)
  useStageEnd(place, tab === 'log' && stage === now ? undefined : now)
  return (
    <>
      <PageHead
        above={
          <>
            <Link to="/pipelines">Pipelines</Link>
            <span aria-hidden="true">/</span>
            <Link to="/pipelines/$id" params={{ id: place.id }}>
              {pipeline}
            </Link>
          </>
        }
        title={title}
        tabTitle={`${title} · ${pipeline}`}
      >
        <p className="run-line">
          <StateBadge run={run} />
          <span className="dim">
            started by {run.author.label}, <Time at={run.createdAt} />
          </span>
        </p>
        {run.startMessage && <p className="start-message">{run.startMessage}</p>}
        {run.message && <p>{run.message}</p>}
      </PageHead>
      <StageLine run={run} />
      <RunTabs place={place} tab={tab} run={run} stage={stage} />
      {tab === 'log' && <LogView key={stage} place={place} stage={stage} line={search.line} />}
      {tab === 'timeline' && <Timeline run={run} />}
    </>
  )
}
