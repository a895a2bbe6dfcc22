import { daysOf, monthsOf, type CostGroup } from '../../../domain/finops/cost-query.ts'
import type { CostSeries } from '../../../store/finops/cost/cost-series.ts'
import type { SourceName } from '../../../store/finops/cost/freshness.ts'
import type { WorkspaceName } from '../../../store/workspaces/names-of-workspaces.ts'
import { presentFrame, type CostFrame } from './present-cost.ts'
import type { SeriesBody } from './schemas.ts'

type Shown = {
  groupBy: CostGroup
  granularity: 'day' | 'month'
  names: ReadonlyMap<number, WorkspaceName>
  sourceNames: readonly SourceName[]
}

/** A series has an amount for each point, 0 where there is none. */
export function presentSeries(frame: CostFrame, series: CostSeries, shown: Shown): SeriesBody {
  const { groupBy, granularity } = shown
  const points = granularity === 'day' ? daysOf(frame.query) : monthsOf(frame.query)
  const amountsOf = (amounts: ReadonlyMap<string, string>) =>
    points.map((point) => Number(amounts.get(point) ?? 0))
  const { groups, rest, tagKey } = series
  return {
    ...presentFrame(frame, series),
    groupBy,
    granularity,
    tagKey,
    points,
    groups: groups.map(({ key, total, amounts }) => ({
      ...nameOf(key, { ...shown, tagKey }),
      total: Number(total),
      amounts: amountsOf(amounts),
    })),
    rest: {
      groups: rest.groups,
      total: Number(rest.total),
      amounts: amountsOf(rest.amounts),
    },
  }
}

type Name = { key: string | null; label: string }

function nameOf(
  key: string | null,
  { groupBy, names, sourceNames, tagKey }: Shown & { tagKey: string | null },
): Name {
  if (groupBy === 'account') {
    const source = sourceNames.find(({ sourceId }) => String(sourceId) === key)
    if (!source) return { key, label: 'a removed source' }
    // As the filter takes it: an account by its id, an upload by its name.
    return { key: source.source ?? String(source.accountId), label: source.name }
  }
  if (key === null) return { key, label: withoutKey[groupBy] ?? 'none' }
  if (groupBy === 'tag') return { key, label: `${tagKey}=${key}` }
  if (groupBy === 'workspace')
    return key === 'none'
      ? { key: 'unattributed', label: 'unattributed' }
      : { key, label: names.get(Number(key))?.name ?? key }
  return { key, label: key }
}

const withoutKey: Partial<Record<CostGroup, string>> = {
  tag: 'untagged',
  region: 'no region',
  subAccount: 'no sub-account',
}
