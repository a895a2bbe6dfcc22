import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { isLabel } from '../parts/labels.ts'
import { ownerOf, placeOf } from '../runs/listed-run.ts'
import { startMessageOf } from '../runs/start-message.ts'
import type { Command } from './commands.ts'
import { useMe } from './session.ts'

const limit = 6
const startsOffered = 3
const common = { staleTime: 10_000, placeholderData: keepPreviousData, retry: false } as const

const workspacesNamed = (q: string) =>
  queryOptions({
    ...common,
    queryKey: ['palette', 'workspaces', q],
    queryFn: ({ signal }) =>
      call('listWorkspaces', {
        query: { limit, ...(isLabel(q) ? { label: [q], sort: 'name' } : { q }) },
        signal,
      }),
    enabled: q !== '',
  })

const runsFound = (q: string) =>
  queryOptions({
    ...common,
    queryKey: ['palette', 'runs', q],
    queryFn: ({ signal }) => call('listRuns', { query: { limit, q }, signal }),
    enabled: q !== '',
  })

const peopleNamed = (q: string) =>
  queryOptions({
    ...common,
    queryKey: ['palette', 'people', q],
    queryFn: ({ signal }) => call('listUsers', { query: { limit, q }, signal }),
    enabled: q !== '',
  })

export type Found = {
  workspaces: Command[]
  runs: Command[]
  people: Command[]
  /** A run to start in each of the workspaces. */
  starts: Command[]
  isBusy: boolean
  error: Error | null
}

const stateWords = {
  running: 'live',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
} as const

/** What the service finds for the text. Nothing without one. */
export function useFound(q: string): Found {
  const navigate = useNavigate()
  const { may } = useMe()
  const all = [
    // “Start a run of shop” looks for shop.
    useQuery(workspacesNamed(q.replace(/^start( a)? run( of)?( |$)/i, ''))),
    useQuery(runsFound(q)),
    useQuery(peopleNamed(q)),
  ] as const
  const [workspaces, runs, people] = all
  const state = {
    isBusy: all.some(({ isFetching }) => isFetching),
    error: all.find(({ error }) => error)?.error ?? null,
  }
  if (q === '') return { ...state, workspaces: [], runs: [], people: [], starts: [] }
  return {
    ...state,
    workspaces: (workspaces.data?.workspaces ?? []).map(({ id, name, criticality }) => ({
      key: `workspace-${id}`,
      name,
      ...(criticality === 'production' && { hint: 'production' }),
      act: () => void navigate({ to: '/workspaces/$id', params: { id } }),
    })),
    starts: (may('mutate_infra') ? (workspaces.data?.workspaces ?? []) : [])
      .slice(0, startsOffered)
      .map(({ id, name }) => ({
        key: `start-${id}`,
        name: `Start a run of ${name}…`,
        act: () =>
          void navigate({ to: '/workspaces/$id', params: { id }, search: { start: true } }),
      })),
    runs: (runs.data?.runs ?? []).map((run) => ({
      key: `run-${run.id}`,
      name: `${ownerOf(run)}, ${run.number === null ? 'Plan only' : `Run #${run.number}`}`,
      hint: `${run.awaitingApproval || run.awaitingPlanApproval ? 'needs approval' : stateWords[run.state]} · ${startMessageOf(run)?.split('\n')[0] ?? `by ${run.author.label}`}`,
      act: () => {
        const { kind, ...params } = placeOf(run)
        void (kind === 'workspace'
          ? navigate({ to: '/workspaces/$id/runs/$runId', params })
          : navigate({ to: '/pipelines/$id/runs/$runId', params }))
      },
    })),
    people: (people.data?.users ?? []).map(({ id, name, email }) => ({
      key: `person-${id}`,
      name,
      ...(email && { hint: email }),
      act: () => void navigate({ to: '/organization', search: { q: email ?? name } }),
    })),
  }
}
