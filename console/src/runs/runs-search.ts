import type { Input } from '../api/call.ts'
import { count, listSearch, text, type Values } from '../app/route-values.ts'
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
  failed: { label: 'Failed', query: { state: ['failed'] } },
  canceled: { label: 'Canceled', query: { state: ['canceled'] } },
}

export const listedOrigins: Record<string, { label: string; query: Query }> = {
  person: { label: 'a person', query: { origin: ['person'] } },
  push: { label: 'a push', query: { origin: ['push'] } },
  'pull-request': { label: 'a pull request', query: { origin: ['pull_request'] } },
  schedule: { label: 'a schedule', query: { origin: ['schedule'] } },
  drift: { label: 'a drift check', query: { origin: ['drift'] } },
  deployment: { label: 'a deployment', query: { origin: ['deployment'] } },
}

/** The filters of the list of all runs, as in the address of the page. */
export type RunsSearch = {
  q?: string
  /** A key of `listedStates`. */
  state?: string
  /** A key of `listedOrigins`. */
  origin?: string
  workspace?: number
  author?: number
  /** Days. */
  from?: string
  to?: string
  /** Without it: the newest first. */
  sort?: 'oldest'
}

export function runsSearch(values: Values): RunsSearch {
  const [state = '', origin = ''] = [text(values['state']), text(values['origin'])]
  const [workspace, author] = [count(values['workspace']), count(values['author'])]
  const [from, to] = [day(values['from']), day(values['to'])]
  return {
    ...listSearch(values),
    ...(Object.hasOwn(listedStates, state) && { state }),
    ...(Object.hasOwn(listedOrigins, origin) && { origin }),
    ...(workspace && { workspace }),
    ...(author && { author }),
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

/** The same for the API. */
export const queryOf = ({
  q,
  state,
  origin,
  workspace,
  author,
  from,
  to,
  sort,
}: RunsSearch): Query => ({
  ...(q && { q }),
  ...(state && listedStates[state]?.query),
  ...(origin && listedOrigins[origin]?.query),
  ...(workspace && { workspaceId: [workspace] }),
  ...(author && { author: [author] }),
  ...(from && { from: momentOfDay(from, 0) }),
  ...(to && { to: momentOfDay(to, 1) }),
  ...(sort && { sort: 'createdAt' as const }),
})
