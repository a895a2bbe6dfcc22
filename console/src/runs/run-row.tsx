import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Run, RunPlace, Workspace } from '../api/types.ts'
import { endWords } from '../api/words.ts'
import { plainLine } from '../parts/plain-text.ts'
import { StateBadge } from '../parts/state-badge.tsx'
import { Time } from '../parts/time.tsx'
import { RunCommit } from './run-commit.tsx'
import { startMessageOf } from './start-message.ts'

/** The fields of a run that a list shows. The home page loads only these. */
type Listed = Pick<
  Run,
  | 'id'
  | 'number'
  | 'kind'
  | 'destroy'
  | 'state'
  | 'reason'
  | 'awaitingApproval'
  | 'awaitingPlanApproval'
  | 'createdAt'
> & {
  author: { label: string }
  approval?: Run['approval']
  message?: string | null
  summary?: Run['summary']
  stages?: Run['stages']
  commitSha?: Run['commitSha']
  commit?: Run['commit']
  queued?: boolean
}

type Props = {
  run: Listed
  place: RunPlace
  name?: string
  /** The workspace that a run of an application deploys to. */
  target?: string | undefined
  criticality?: Workspace['criticality'] | undefined
}

export const nameOfRun = ({ kind, number, id }: Pick<Listed, 'kind' | 'number' | 'id'>): string =>
  kind === 'plan' ? 'Plan only' : `Run #${number ?? id}`

/** One run in a list. The whole row is a link to the run. */
export const RunRow = memo(function RunRow({ run, place, name, target, criticality }: Props) {
  const startMessage = startMessageOf(run)
  return (
    <li>
      <RunLink place={place} className="row">
        <span className="row-state">
          <StateBadge run={run} />
        </span>
        <span className="row-main">
          <span className="row-title">
            {name && <strong>{name}</strong>} {nameOfRun(run)}
            {target && <Target name={target} />}
            {run.destroy && <span className="tag bad">destroy</span>}
            {criticality === 'production' && <span className="tag production">production</span>}
          </span>
          <span className="row-sub">
            {run.state === 'failed' && run.reason
              ? endWords(run.kind, run.reason)
              : `by ${run.author.label}`}
            <RunCommit run={run} />
            {startMessage !== null && (
              <>
                {' · '}
                <bdi>{plainLine(startMessage)}</bdi>
              </>
            )}
          </span>
        </span>
        <Summary summary={run.summary ?? null} />
        <span className="row-time">
          <Time at={run.createdAt} />
        </span>
      </RunLink>
    </li>
  )
}, isSame)

/** Compares props, so that a long list renders only the rows whose run changed. */
function isSame(was: Props, is: Props): boolean {
  return (
    was.run === is.run &&
    was.name === is.name &&
    was.target === is.target &&
    was.criticality === is.criticality &&
    was.place.kind === is.place.kind &&
    was.place.id === is.place.id &&
    was.place.runId === is.place.runId
  )
}

export const Target = ({ name }: { name: string }) => <span className="dim"> to {name}</span>

export function RunLink({
  place,
  className,
  children,
}: {
  place: RunPlace
  className?: string
  children: React.ReactNode
}) {
  const params = { id: place.id, runId: place.runId }
  return place.kind === 'pipeline' ? (
    <Link to="/pipelines/$id/runs/$runId" params={params} className={className}>
      {children}
    </Link>
  ) : (
    <Link to="/workspaces/$id/runs/$runId" params={params} className={className}>
      {children}
    </Link>
  )
}

/** The counts of a plan as symbols (`+3 ~1 −0`, and `◇2` before for imports), with text for screen readers. */
export function Summary({ summary }: { summary: Run['summary'] }) {
  if (!summary) return <span className="summary" />
  const { import: imported = 0, add, change, destroy } = summary
  return (
    <span className="summary num">
      <span className="visually-hidden">{`${imported ? `${imported} to import, ` : ''}${add} to add, ${change} to change, ${destroy} to destroy`}</span>
      {imported > 0 && <span aria-hidden="true">{`◇${imported.toLocaleString()}`}</span>}
      <span
        aria-hidden="true"
        className={add ? 'good-text' : 'dim'}
      >{`+${add.toLocaleString()}`}</span>
      <span
        aria-hidden="true"
        className={change ? 'warn-text' : 'dim'}
      >{`~${change.toLocaleString()}`}</span>
      <span
        aria-hidden="true"
        className={destroy ? 'bad-text' : 'dim'}
      >{`−${destroy.toLocaleString()}`}</span>
    </span>
  )
}
