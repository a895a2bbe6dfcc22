import type { Input } from '../api/call.ts'
import { count, listSearch, text, type Values } from '../app/route-values.ts'
import { labelsIn } from '../parts/labels.ts'
import { momentOfDay } from '../parts/moment-of-day.ts'

type Query = NonNullable<Input<'listRuns'>['query']>

/** The states that a list of runs can be narrowed to, in the words of the page. */
export const listedStates: Record<string, { label: string; query: Query }> = {
  live: { label: 'Live', query: { state: ['running'] } },
  mine: { label: 'Waiting for you', query: { mine: true } },
  waiting: { label: 'Waiting for approval', query: { awaitingApproval: true } },
  working: {
    label: 'Running or queued',
    query: { state: ['running'], awaitingApproval: false },
  },
  succeeded: { label: 'Succeeded', query: { state: ['succeeded'] } },
  failed: { label: 'Failed', query: { outcome: ['failed'] } },
  denied: { label: 'Denied', query: { outcome: ['denied'] } },
  rejected: { label: 'Rejected', query: { outcome: ['rejected'] } },
  expired: { label: 'Expired', query: { outcome: ['expired'] } },
  'out-of-date': { label: 'Out of date', query: { outcome: ['out_of_date'] } },
  canceled: { label: 'Canceled', query: { outcome: ['canceled'] } },
}

export const listedOrigins: Record<string, { label: string; query: Query }> = {
  person: { label: 'a person', query: { origin: ['person'] } },
  push: { label: 'a push', query: { origin: ['push'] } },
  'pull-request': { label: 'a pull request', query: { origin: ['pull_request'] } },
  schedule: { label: 'a schedule', query: { origin: ['schedule'] } },
  drift: { label: 'a drift check', query: { origin: ['drift'] } },
  deployment: { label: 'a deployment', query: { origin: ['deployment'] } },
}

/** How long ago a run ended, counted back from now. */
export const listedEnds: Record<string, { label: string; hours: number }> = {
  day: { label: 'in the last day', hours: 24 },
  week: { label: 'in the last 7 days', hours: 168 },
}

/** The filters of the list of all runs, as in the address of the page. */
export type RunsSearch = {
  q?: string
  /** A key of `listedStates`. */
  state?: string
  /** A key of `listedOrigins`. */
  origin?: string
  /** A key of `listedEnds`. */
  ended?: string
  workspace?: number
  author?: number
  /** Of which its workspace or pipeline has one. */
  label?: string[]
  /** Days. */
  from?: string
  to?: string
  /** Without it: the newest first. */
  sort?: 'oldest'
}

export function runsSearch(values: Values): RunsSearch {
  const [state = '', origin = ''] = [text(values['state']), text(values['origin'])]
  const ended = text(values['ended']) ?? ''
  const [workspace, author] = [count(values['workspace']), count(values['author'])]
  const [from, to] = [day(values['from']), day(values['to'])]
  const label = labelsIn(values['label'])
  return {
    ...listSearch(values),
    ...(Object.hasOwn(listedStates, state) && { state }),
    ...(Object.hasOwn(listedOrigins, origin) && { origin }),
    ...(Object.hasOwn(listedEnds, ended) && { ended }),
    ...(workspace && { workspace }),
    ...(author && { author }),
    ...(label.length > 0 && { label }),
    ...(from && { from }),
    ...(to && { to }),
    ...(values['sort'] === 'oldest' && { sort: 'oldest' }),
  }
}

const day = (value: unknown) => {
  const written = text(value)
  return written && /^\d{4}-\d\d-\d\d$/.test(written) && !Number.isNaN(Date.parse(written))
    ? written
    : undefined
}

/** To the minute, so that a page asks for the same list until the next minute. */
const hoursAgo = (hours: number): string =>
  new Date(Math.floor(Date.now() / 60_000) * 60_000 - hours * 3_600_000).toISOString()

/** The same for the API. */
export const queryOf = ({
  q,
  state,
  origin,
  ended,
  workspace,
  author,
  label,
  from,
  to,
  sort,
}: RunsSearch): Query => ({
  ...(q && { q }),
  ...(state && listedStates[state]?.query),
  ...(origin && listedOrigins[origin]?.query),
  ...(ended && { endedFrom: hoursAgo(listedEnds[ended]?.hours ?? 0) }),
  ...(workspace && { workspaceId: [workspace] }),
  ...(author && { author: [author] }),
  ...(label && { label }),
  ...(from && { from: momentOfDay(from, 0) }),
  ...(to && { to: momentOfDay(to, 1) }),
  ...(sort && { sort: 'createdAt' as const }),
})
