import { queryOptions } from '@tanstack/react-query'
import { call, type Answer } from '../api/call.ts'

export type HistoryDay = Answer<'getRunHistory'>['days'][number]

/** How the runs of all workspaces, or of one, went in the last 30 days. */
export const runHistoryQuery = (workspaceId?: number) =>
  queryOptions({
    queryKey: ['run-history', workspaceId ?? 'all'],
    queryFn: ({ signal }) =>
      call('getRunHistory', { query: { days: 30, ...(workspaceId && { workspaceId }) }, signal }),
    staleTime: 60_000,
    refetchInterval: 120_000,
  })

export type Week = { from: string; changes: number }

/** Sums of seven days each, the last of which ends today. Days before the first whole week are left out. */
export function weeksOf(days: readonly HistoryDay[]): Week[] {
  const skipped = days.length % 7
  const weeks: Week[] = []
  for (let at = skipped; at < days.length; at += 7) {
    const week = days.slice(at, at + 7)
    weeks.push({
      from: week[0]?.day ?? '',
      changes: week.reduce((sum, { changes }) => sum + changes, 0),
    })
  }
  return weeks
}

/** The median of the days' medians: a figure for the head of a chart. */
export function medianOf(values: ReadonlyArray<number | null>): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b)
  return known[Math.floor((known.length - 1) / 2)] ?? null
}
