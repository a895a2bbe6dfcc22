import { useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer } from '../api/call.ts'
import type { ListedRun } from '../api/types.ts'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { ownerOf, placeOf, targetOf } from '../runs/listed-run.ts'
import { runsQuery } from '../runs/queries.ts'
import { RunRow } from '../runs/run-row.tsx'

// The first page of each is asked for early, by index.html.
/** Runs that wait for the signed-in person. */
const mineQuery = runsQuery({ mine: true })
const waitingQuery = runsQuery({ awaitingApproval: true })
const runningQuery = runsQuery({ state: ['running'], awaitingApproval: false })
const failedQuery = runsQuery({ outcome: ['failed'] }, 10)
export const listsOfHome = [mineQuery, waitingQuery, runningQuery, failedQuery] as const

/**
 * A run that waits is found by its state, however many runs are newer. One that waits for the
 * signed-in person is in the first list alone.
 */
export function HomeRuns() {
  const mine = useInfiniteQuery(mineQuery)
  const waiting = useInfiniteQuery(waitingQuery)
  const running = useInfiniteQuery(runningQuery)
  const failed = useInfiniteQuery(failedQuery)
  const all = [mine, waiting, running, failed]
  // At once, so that no list moves another one.
  if (all.some(({ isPending }) => isPending)) return <Loading what="the runs" />
  const others = rowsOf(waiting).filter(({ mayApprove }) => !mayApprove)
  return (
    <>
      <ErrorNote error={all.find(({ error }) => error)?.error ?? null} goesOn />
      <Section title="Waiting for you" query={mine} rows={rowsOf(mine)}>
        No run waits for you.
      </Section>
      {(others.length > 0 || waiting.hasNextPage) && (
        <Section title="Waiting for somebody else" query={waiting} rows={others} />
      )}
      <Section title="Running" query={running} rows={rowsOf(running)}>
        No other run is live. <Link to="/workspaces">Start a run from a workspace.</Link>
      </Section>
      <Section title="Recent failures" query={failed} rows={rowsOf(failed)}>
        No run failed.
      </Section>
      <p className="dim section">
        <Link to="/organization/audit">All activity of the organization</Link>
      </p>
    </>
  )
}

type Page = Answer<'listRuns'>
type Query = UseInfiniteQueryResult<{ pages: Page[] }>

const rowsOf = ({ data }: Query): ListedRun[] => data?.pages.flatMap(({ runs }) => runs) ?? []

type SectionProps = {
  title: string
  query: Query
  rows: readonly ListedRun[]
  /** Said of an empty list. */
  children?: ReactNode
}

function Section({ title, query, rows, children }: SectionProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  return (
    <section className="section">
      <h2>
        {title}{' '}
        {rows.length > 0 && (
          <span className="count">{`${rows.length}${hasNextPage ? '+' : ''}`}</span>
        )}
      </h2>
      {query.isSuccess && rows.length === 0 && <p className="dim quiet-line">{children}</p>}
      {rows.length > 0 && (
        <ul className="rows">
          {rows.map((run) => (
            <RunRow
              key={run.id}
              run={run}
              place={placeOf(run)}
              name={ownerOf(run)}
              target={targetOf(run)}
              criticality={run.workspace?.criticality}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="more">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more: {title.toLowerCase()}
          </Button>
        </div>
      )}
    </section>
  )
}
