import type { Input } from '../api/call.ts'
import { listSearch, type ListSearch, type Values } from '../app/route-values.ts'
import { labelsIn } from '../parts/labels.ts'

type Query = NonNullable<Input<'listWorkspaces'>['query']>

const states = [
  'waiting',
  'working',
  'failed',
  'denied',
  'rejected',
  'expired',
  'out-of-date',
  'succeeded',
  'canceled',
  'none',
] as const
type LastRunState = (typeof states)[number]

/** The states of the last run that the list can be narrowed to, in the words of the page. */
export const lastRunStates: Readonly<Record<LastRunState, { label: string; query: Query }>> = {
  waiting: { label: 'Needs approval', query: { awaitingApproval: true } },
  working: {
    label: 'Running or queued',
    query: { state: ['running'], awaitingApproval: false },
  },
  failed: { label: 'Failed', query: { outcome: ['failed'] } },
  denied: { label: 'Denied', query: { outcome: ['denied'] } },
  rejected: { label: 'Rejected', query: { outcome: ['rejected'] } },
  expired: { label: 'Expired', query: { outcome: ['expired'] } },
  'out-of-date': { label: 'Out of date', query: { outcome: ['out_of_date'] } },
  succeeded: { label: 'Succeeded', query: { state: ['succeeded'] } },
  canceled: { label: 'Canceled', query: { outcome: ['canceled'] } },
  none: { label: 'No runs yet', query: { state: ['none'] } },
}

export const lastRunState = (value: unknown): LastRunState | undefined =>
  states.find((one) => one === value)

const sorts = ['name', '-name', 'criticality', '-criticality', '-lastRunAt', 'lastRunAt'] as const
export type WorkspaceSort = (typeof sorts)[number]

/** The lists of a person: kept in the browser (own-lists.ts). */
const ownViews = ['favorites', 'recent'] as const

/** The filters and the order of the list of workspaces, as in the address of the page. */
export type WorkspacesSearch = ListSearch & {
  view?: (typeof ownViews)[number]
  state?: LastRunState
  criticality?: 'production' | 'standard'
  /** Of which a workspace has one. */
  label?: string[]
  /** Without it: by name, and of the recent ones the newest first. */
  sort?: WorkspaceSort
}

export function workspacesSearch(values: Values): WorkspacesSearch {
  const state = lastRunState(values['state'])
  const view = ownViews.find((one) => one === values['view'])
  const label = labelsIn(values['label'])
  const sort = sorts.find((one) => one === values['sort'])
  const criticality = (['production', 'standard'] as const).find(
    (one) => one === values['criticality'],
  )
  return {
    ...listSearch(values),
    ...(view && { view }),
    ...(state && { state }),
    ...(criticality && { criticality }),
    ...(label.length > 0 && { label }),
    ...(sort && { sort }),
  }
}

/** The same for the API. */
export const queryOf = ({
  q,
  state,
  criticality,
  label,
  sort = 'name',
}: WorkspacesSearch): Query => ({
  ...(q && { q }),
  ...(state && lastRunStates[state].query),
  ...(criticality && { criticality: [criticality] }),
  ...(label && { label }),
  sort,
})

/** Whether it leaves workspaces out. */
export const isFiltered = ({ q, state, criticality, label }: WorkspacesSearch): boolean =>
  Boolean(q || state || criticality || label)

export const isSameSearch = (one: WorkspacesSearch, other: WorkspacesSearch): boolean =>
  textOf(one) === textOf(other)

const textOf = (search: WorkspacesSearch): string =>
  JSON.stringify(Object.entries(workspacesSearch(search)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
