import { memo } from 'react'
import type { ListedRun } from '../api/types.ts'
import { endWords } from '../api/words.ts'
import { plainLine } from '../parts/plain-text.ts'
import { StateBadge } from '../parts/state-badge.tsx'
import { Time } from '../parts/time.tsx'
import { ownerOf, placeOf, targetOf } from './listed-run.ts'
import { RunCommit } from './run-commit.tsx'
import { nameOfRun, RunLink, Summary, Target } from './run-row.tsx'
import { startMessageOf } from './start-message.ts'

type Props = {
  run: ListedRun
  isPicked: boolean
  /** Null for a run that cannot be picked. Missing for somebody who picks none. */
  onPick?: ((id: number, on: boolean) => void) | null
}

/** One run of the list of all runs: a checkbox, and a link to the run. */
export const ListedRunRow = memo(function ListedRunRow({ run, isPicked, onPick }: Props) {
  const [owner, target] = [ownerOf(run), targetOf(run)]
  const startMessage = startMessageOf(run)
  return (
    <li className="pick-row">
      {onPick !== undefined && (
        <label className="pick">
          <input
            type="checkbox"
            aria-label={`Select ${nameOfRun(run)} of ${owner}`}
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
            <strong>{owner}</strong> {nameOfRun(run)}
            {target && <Target name={target} />}
            {run.destroy && <span className="tag bad">destroy</span>}
            {run.workspace?.criticality === 'production' && (
              <span className="tag production">production</span>
            )}
          </span>
          <span className="row-sub">
            by {run.author.label}
            <RunCommit run={run} />
            {startMessage !== null && (
              <>
                {' · '}
                <bdi>{plainLine(startMessage)}</bdi>
              </>
            )}
            {run.state === 'failed' && run.reason && ` · ${endWords(run.kind, run.reason)}`}
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
