import { memo } from 'react'
import type { ListedRun, RunPlace } from '../api/types.ts'
import { reasonWords } from '../api/words.ts'
import { plainLine } from '../parts/plain-text.ts'
import { StateBadge } from '../parts/state-badge.tsx'
import { Time } from '../parts/time.tsx'
import { RunCommit } from './run-commit.tsx'
import { nameOfRun, RunLink, Summary } from './run-row.tsx'

type Props = {
  run: ListedRun
  isPicked: boolean
  /** Null for a run that cannot be picked. Missing for somebody who picks none. */
  onPick?: ((id: number, on: boolean) => void) | null
}

/** A run is shown in its pipeline. One that only plans is in none. */
const placeOf = ({ id, pipelineId, workspace }: ListedRun): RunPlace =>
  pipelineId === null
    ? { kind: 'workspace', id: workspace.id, runId: id }
    : { kind: 'pipeline', id: pipelineId, runId: id }

/** One run of the list of all runs: a checkbox, and a link to the run. */
export const ListedRunRow = memo(function ListedRunRow({ run, isPicked, onPick }: Props) {
  const { workspace } = run
  return (
    <li className="pick-row">
      {onPick !== undefined && (
        <label className="pick">
          <input
            type="checkbox"
            aria-label={`Select ${nameOfRun(run)} of ${workspace.name}`}
            checked={isPicked && onPick !== null}
            disabled={onPick === null}
            onChange={({ target }) => onPick?.(run.id, target.checked)}
          />
        </label>
      )}
      <RunLink place={placeOf(run)} className="row">
        <span className="row-state">
          <StateBadge run={run} />
        </span>
        <span className="row-main">
          <span className="row-title">
            <strong>{workspace.name}</strong> {nameOfRun(run)}
            {run.destroy && <span className="tag bad">destroy</span>}
            {workspace.criticality === 'production' && (
              <span className="tag production">production</span>
            )}
          </span>
          <span className="row-sub">
            by {run.author.label}
            <RunCommit run={run} />
            {run.startMessage && (
              <>
                {' · '}
                <bdi>{plainLine(run.startMessage)}</bdi>
              </>
            )}
            {run.state === 'failed' && run.reason && ` · ${reasonWords[run.reason]}`}
          </span>
        </span>
        <Summary summary={run.summary} />
        <span className="row-time">
          <Time at={run.createdAt} />
        </span>
      </RunLink>
    </li>
  )
})
