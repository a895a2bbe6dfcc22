import { useInfiniteQuery } from '@tanstack/react-query'
import type { ListedRun, Policy } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { useMe } from '../app/session.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { ownerOf, placeOf } from '../runs/listed-run.ts'
import { runsQuery } from '../runs/queries.ts'
import { nameOfRun, RunLink } from '../runs/run-row.tsx'
import { effectOn } from './effect-on-run.ts'

const pageSize = 200
const shown = 5
/** No policy judges a run of an application. */
const kind: Array<'infrastructure'> = ['infrastructure']
const waitingQuery = runsQuery({ kind, awaitingApproval: true }, pageSize)
const movingQuery = runsQuery({ kind, state: ['running'], awaitingApproval: false }, pageSize)

type Props = {
  /** Where the policy judged before, and where it is to judge. */
  scopes: ReadonlyArray<Policy['workspaces']>
  act?: 'save' | 'delete'
}

/** The waiting runs that a change of a policy affects, and what happens to each. */
export function AffectedRuns({ scopes, act = 'save' }: Props) {
  const { label } = useMe()
  const queries = [useInfiniteQuery(waitingQuery), useInfiniteQuery(movingQuery)]
  const failed = queries.find(({ error }) => error !== null)
  if (failed)
    return (
      <>
        <p className="note warn">It is not known which waiting runs this affects.</p>
        <ErrorNote error={failed.error} goesOn />
      </>
    )
  const runs = queries
    .flatMap(({ data }) => data?.pages.flatMap((page) => page.runs) ?? [])
    .filter((run) => scopes.some((scope) => isIn(scope, run)))
  const affected = runs.flatMap((run) => {
    const effect = effectOn(run, label)
    return effect ? [{ run, effect }] : []
  })
  if (affected.length === 0) return null
  const more = queries.some(({ hasNextPage }) => hasNextPage)
  return (
    <div className="note warn" role="status">
      <p>
        {act === 'save' ? 'Saving' : 'Deleting'} it affects {more ? 'at least ' : ''}
        {plural(affected.length, 'run that waits', 'runs that wait')}. You become one of the authors
        of each.{act === 'save' && ' A plan that the policy denies ends as denied.'}
      </p>
      <ul>
        {affected.slice(0, shown).map(({ run, effect }) => (
          <li key={run.id}>
            <RunLink place={placeOf(run)}>
              {ownerOf(run)}, {nameOfRun(run)}
            </RunLink>
            : {effect}
          </li>
        ))}
        {affected.length > shown && <li>and {affected.length - shown} more</li>}
      </ul>
    </div>
  )
}

function isIn(scope: Policy['workspaces'], { workspace }: ListedRun): boolean {
  if (scope === 'all') return true
  if (workspace === null) return false
  if (scope === 'production') return workspace.criticality === 'production'
  return scope.includes(workspace.id)
}
