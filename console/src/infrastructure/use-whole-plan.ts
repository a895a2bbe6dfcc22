import { useEffect, useRef } from 'react'
import type { Plan } from './plan.ts'

/** Changes that a filter reads by itself. More are read where a person asks for them. */
export const readsUpTo = 5_000

export type WholeQuery = {
  data: { pages: readonly Plan[] }
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchNextPage: () => Promise<unknown>
}

/** Reads the pages of a plan one after the other, as long as `wanted` holds. */
export function useWholePlan(query: WholeQuery, wanted: boolean): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const goesOn = wanted && hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  useEffect(() => {
    if (goesOn) void fetchNextPage()
  }, [goesOn, fetchNextPage])
}

/** Runs an action with the whole plan, once its last page was read. */
export function useOnceWhole(
  query: WholeQuery,
  act: ((pages: readonly Plan[]) => void) | undefined,
) {
  const { pages } = query.data
  const last = useRef(act)
  useEffect(() => {
    last.current = act
  })
  const isReady = act !== undefined && !query.hasNextPage
  useEffect(() => {
    if (isReady) last.current?.(pages)
    // Once for each action.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isReady])
}

export const countOf = (pages: readonly Plan[]): number =>
  pages.reduce(
    (sum, { resources, outputs, drift }) => sum + resources.length + outputs.length + drift.length,
    0,
  )

/** All changes of which the service keeps a row. */
export function totalOf({ actions, outputs, drift, omittedChanges }: Plan['overview']): number {
  const resources = Object.values(actions).reduce((sum, count) => sum + count, 0)
  return resources + outputs + drift - omittedChanges
}
