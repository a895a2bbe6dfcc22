import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, queryText, type Answer } from '../api/call.ts'
import { routes } from '../api/operations.ts'
import { whileShort } from '../api/queries.ts'
import type { AnomalySearch, CommitmentSearch, CostSearch, UnitSearch } from '../app/searches.ts'

/** `asked`: what it answers, which is not what the page asks for while an answer is awaited. */
export type CostSeries = Answer<'getCostSeries'> & { asked: CostSearch }
export type CostGroupBy = CostSeries['groupBy']
export type CostBasis = CostSeries['basis']
export type Ingest = Answer<'listIngests'>['ingests'][number]
export type IngestDetail = Answer<'getIngest'>['ingest']
export type BillSlice = IngestDetail['accounts'][number]['slices'][number]
export type BillSource = Answer<'listBillSources'>['sources'][number]
export type Anomaly = Answer<'listAnomalies'>['anomalies'][number]
export type AnomalyDetail = Answer<'getAnomaly'>['anomaly']
export type WorkspaceCost = Answer<'getWorkspaceCost'>
export type UnmanagedResource = Answer<'listUnmanagedCost'>['resources'][number]
export type Commitments = Answer<'listCommitments'>
export type Commitment = Commitments['commitments'][number]
export type ListedUnit = Answer<'listUnits'>['units'][number]
export type UnitCost = Answer<'getUnit'>
export type Unit = UnitCost['unit']
export type Price = Answer<'listPrices'>['prices'][number]
export type Unpriced = Answer<'listUnpricedResources'>['unpriced'][number]
export type Rate = Answer<'listRates'>['rates'][number]
export type Budget = Answer<'listBudgets'>['budgets'][number]

/** Bills come some times a day at most. */
const staleMs = 60_000

/** A worker computes a forecast within seconds; one that does not is asked for less and less often. */
const pendingMs = (answers = 1): number => Math.min(staleMs, 1_500 * 2 ** Math.min(answers, 6))
const isPending = (budgets: ReadonlyArray<Pick<Budget, 'noForecastBecause'>>): boolean =>
  budgets.some(({ noForecastBecause }) => noForecastBecause === 'pending')

/** How many groups are drawn by themselves: more colours cannot be told apart. */
const shownGroups = 8

export const costQuery = (search: CostSearch) =>
  queryOptions({
    queryKey: ['cost', 'payload', search],
    queryFn: ({ signal }) => call('getCost', { query: filtersOf(search), signal }),
    placeholderData: keepPreviousData,
    staleTime: staleMs,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined &&
      'budgets' in data &&
      isPending(data.budgets) &&
      pendingMs(dataUpdateCount),
  })

type Shown = { top?: number; granularity?: 'day' | 'month' }

export const costSeriesQuery = (
  search: CostSearch,
  { top = shownGroups, granularity = 'day' }: Shown = {},
) =>
  queryOptions({
    queryKey: ['cost', 'series', search, top, granularity],
    queryFn: async ({ signal }): Promise<CostSeries> => {
      const groupBy = search.groupBy ?? 'service'
      const query = {
        ...filtersOf(search),
        groupBy,
        top,
        ...(granularity === 'month' && { granularity }),
      }
      return { asked: search, ...(await call('getCostSeries', { query, signal })) }
    },
    placeholderData: keepPreviousData,
    staleTime: staleMs,
  })

/** A filter has one value here; the API takes several. */
function filtersOf(search: CostSearch) {
  const { from, to, basis, tagKey, untagged, chargeCategory, owner } = search
  const { provider, service, region, subAccountId, source, tagValue, accountId, workspaceId } =
    search
  const listed = <T>(value: T | undefined): T[] | undefined =>
    value === undefined ? undefined : [value]
  return {
    from,
    to,
    basis,
    tagKey,
    untagged,
    provider: listed(provider),
    service: listed(service),
    region: listed(region),
    subAccountId: listed(subAccountId),
    source: listed(source),
    tagValue: listed(tagValue),
    accountId: listed(accountId),
    workspaceId: listed(workspaceId),
    chargeCategory: listed(chargeCategory),
    owner: listed(owner),
  }
}

/** The address of the same cost as CSV, for a link. */
export function csvAddress(search: CostSearch): string {
  const [, path] = routes.getCost
  return `${path}?${queryText({ ...filtersOf(search), format: 'csv' })}`
}

const firstPage = undefined as string | undefined

export const budgetsQuery = infiniteQueryOptions({
  queryKey: ['cost', 'budgets'],
  queryFn: ({ pageParam, signal }) =>
    call('listBudgets', { query: { limit: 200, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  staleTime: staleMs,
  refetchInterval: ({ state }) =>
    (state.data?.pages ?? []).some(({ budgets }) => isPending(budgets)) &&
    whileShort(pendingMs(state.dataUpdateCount))({ state }),
})

export const pricesQuery = infiniteQueryOptions({
  queryKey: ['cost', 'prices'],
  queryFn: ({ pageParam, signal }) =>
    call('listPrices', { query: { limit: 200, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  staleTime: staleMs,
})

export const unpricedQuery = infiniteQueryOptions({
  queryKey: ['cost', 'prices', 'unpriced'],
  queryFn: ({ pageParam, signal }) =>
    call('listUnpricedResources', { query: { limit: 50, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  staleTime: staleMs,
})

export const ratesQuery = infiniteQueryOptions({
  queryKey: ['cost', 'rates'],
  queryFn: ({ pageParam, signal }) =>
    call('listRates', { query: { limit: 200, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  staleTime: staleMs,
})

export const unitsQuery = infiniteQueryOptions({
  queryKey: ['cost', 'units'],
  queryFn: ({ pageParam, signal }) =>
    call('listUnits', { query: { limit: 100, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  staleTime: staleMs,
})

/** The organization's currency, which every role reads with the units. The settings are read by fewer. */
export const currencyQuery = queryOptions({
  queryKey: ['cost', 'currency'],
  queryFn: async ({ signal }) =>
    (await call('listUnits', { query: { limit: 1 }, signal })).currency,
  staleTime: staleMs,
})

export const unitQuery = (id: number, { from, to }: UnitSearch) =>
  queryOptions({
    queryKey: ['cost', 'units', id, { from, to }],
    queryFn: ({ signal }) => call('getUnit', { params: { id }, query: { from, to }, signal }),
    placeholderData: keepPreviousData,
    staleTime: staleMs,
  })

const refreshMs = 5_000

export const ingestsQuery = infiniteQueryOptions({
  queryKey: ['cost', 'ingests'],
  queryFn: ({ pageParam, signal }) =>
    call('listIngests', { query: { limit: 20, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  refetchInterval: whileShort(refreshMs),
})

export const ingestQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['cost', 'ingests', id],
    queryFn: ({ pageParam, signal }) =>
      call('getIngest', { params: { id }, query: { cursor: pageParam }, signal }),
    initialPageParam: firstPage,
    getNextPageParam: ({ ingest }) => ingest.nextCursor ?? undefined,
    refetchInterval: whileShort(refreshMs),
  })

export const billSourcesQuery = infiniteQueryOptions({
  queryKey: ['cost', 'sources'],
  queryFn: ({ pageParam, signal }) =>
    call('listBillSources', { query: { limit: 200, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  refetchInterval: whileShort(refreshMs),
})

/** Without a state: those that nobody has judged. */
export const anomaliesQuery = ({ state = 'open', provider, service, from, to }: AnomalySearch) =>
  infiniteQueryOptions({
    queryKey: ['cost', 'anomalies', { state, provider, service, from, to }],
    queryFn: ({ pageParam, signal }) =>
      call('listAnomalies', {
        query: {
          ...(state !== 'all' && { state: [state] }),
          ...(provider && { provider: [provider] }),
          ...(service && { service: [service] }),
          from,
          to,
          limit: 200,
          cursor: pageParam,
        },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: staleMs,
  })

export const anomalyQuery = (id: number) =>
  queryOptions({
    queryKey: ['cost', 'anomalies', id],
    queryFn: ({ signal }) => call('getAnomaly', { params: { id }, signal }),
    staleTime: staleMs,
  })

export const unmanagedQuery = (search: CostSearch) =>
  infiniteQueryOptions({
    queryKey: ['cost', 'unmanaged', search],
    queryFn: ({ pageParam, signal }) =>
      call('listUnmanagedCost', {
        query: { ...filtersOf(search), limit: 100, cursor: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: staleMs,
  })

export const commitmentsQuery = ({ from, to, provider, sort }: CommitmentSearch) =>
  queryOptions({
    queryKey: ['cost', 'commitments', { from, to, provider, sort }],
    queryFn: ({ signal }) =>
      call('listCommitments', {
        query: { from, to, sort: sort ?? 'unused', ...(provider && { provider: [provider] }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: staleMs,
  })

export const workspaceCostQuery = (
  id: number,
  { from, to, basis }: Pick<CostSearch, 'from' | 'to' | 'basis'>,
) =>
  queryOptions({
    queryKey: ['cost', 'workspaces', id, { from, to, basis }],
    queryFn: ({ signal }) =>
      call('getWorkspaceCost', { params: { id }, query: { from, to, basis }, signal }),
    placeholderData: keepPreviousData,
    staleTime: staleMs,
  })
