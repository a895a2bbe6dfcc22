import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CostSearch } from '../app/searches.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { dayWords } from '../parts/day-words.ts'
import { Button } from '../parts/forms.tsx'
import type { ChartGroup } from './cost-chart.tsx'
import {
  groupWords,
  nameOfGroup,
  narrowed,
  restColor,
  restLabel,
  windowBefore,
} from './cost-words.ts'
import { change, money } from './money.ts'
import { newestBill } from './newest-bill.ts'
import { costSeriesQuery, type CostSeries } from './queries.ts'

type GroupRow = {
  id: string
  label: string
  color: string
  total: number
  /** In the same number of days before. Undefined where it is not known. */
  before: number | undefined
  narrow: CostSearch | undefined
}
type GroupsProps = {
  series: CostSeries
  groups: readonly ChartGroup[]
  /** How far the bills of each source go. */
  sources: ReadonlyArray<{ completeThrough: string | null }>
}

/** The API shows so many groups by themselves. */
const mostGroups = 50

/** The legend and the figures of the chart. A name narrows the page to its group. */
export function CostGroups({ series, groups, sources }: GroupsProps) {
  const { groupBy } = series
  const [isWhole, setWhole] = useState(false)
  const whole = useSums(series.asked, isWhole && series.rest.groups > 0)
  const before = useSums({ ...askedOf(series), ...windowBefore(series) }, true)
  const rows = rowsOf({ series, listed: whole ?? series, before, groups })
  if (rows.length === 0) return <NoCost series={series} sources={sources} />
  return (
    <section className="section">
      <DataTable
        label={`Cost by ${groupWords[groupBy].toLowerCase()}`}
        rows={rows}
        columns={columnsOf(series)}
      />
      {series.rest.groups > 0 && (
        <div className="more">
          <Button onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
            {isWhole ? 'Show fewer' : 'Show more'}
          </Button>
        </div>
      )}
    </section>
  )
}

/** Bills end months ago where nobody uploads the new ones, so the way to their newest month is shown. */
function NoCost({ series, sources }: Omit<GroupsProps, 'groups'>) {
  const newest = newestBill(sources, series)
  return (
    <p className="dim quiet-line">
      No cost in this period.
      {newest && (
        <>
          {` The newest bill ends ${dayWords(newest.day)}. `}
          <Link to="/cost" search={{ ...series.asked, from: newest.from, to: newest.to }}>
            Show {newest.month}
          </Link>
        </>
      )}
    </p>
  )
}

/** Without a key the one on most cost is shown, which may be another one in other days. */
const askedOf = ({ asked, groupBy, tagKey }: CostSeries): CostSearch => ({
  ...asked,
  ...(groupBy === 'tag' && tagKey !== null && { tagKey }),
})

/** The sums of many groups. Undefined while those of another search are there. */
function useSums(search: CostSearch, isWanted: boolean): CostSeries | undefined {
  const { data, isPlaceholderData } = useQuery({
    ...costSeriesQuery(search, { top: mostGroups, granularity: 'month' }),
    enabled: isWanted,
  })
  return isWanted && !isPlaceholderData ? data : undefined
}

type RowsOf = {
  /** What the chart draws. */
  series: CostSeries
  /** What is listed: the same, or more groups of it. */
  listed: CostSeries
  before: CostSeries | undefined
  groups: readonly ChartGroup[]
}

function rowsOf({ series, listed, before, groups }: RowsOf): GroupRow[] {
  const { groupBy, rest } = listed
  const drawn = new Map(series.groups.map((group, index) => [idOf(group), groups[index]?.color]))
  const earlier = listed.groups.map((group) => before && totalBefore(before, group))
  const rows = listed.groups.map((group, index) => ({
    id: `${index}`,
    label: nameOfGroup(groupBy, group.label),
    color: drawn.get(idOf(group)) ?? restColor,
    total: group.total,
    before: earlier[index],
    narrow: narrowed(series.asked, series, group),
  }))
  if (rest.groups === 0) return rows
  const others = {
    id: 'rest',
    label: restLabel(rest),
    color: restColor,
    total: rest.total,
    before: before && restBefore(before, earlier),
    narrow: undefined,
  }
  return [...rows, others]
}

type Group = Pick<CostSeries['groups'][number], 'key' | 'label'>

/** An account and an upload can have the same key, but with another label. */
const idOf = ({ key, label }: Group): string => `${key} ${label}`

/** What is not among the groups by themselves may be among the others, unless there are none. */
function totalBefore({ groups, rest }: CostSeries, group: Group): number | undefined {
  const found = groups.find((one) => idOf(one) === idOf(group))
  return found ? found.total : rest.groups === 0 ? 0 : undefined
}

function restBefore(
  { total }: CostSeries,
  shown: ReadonlyArray<number | undefined>,
): number | undefined {
  const known = shown.filter((amount) => amount !== undefined)
  if (known.length < shown.length) return undefined
  return known.reduce((left, amount) => left - amount, total)
}

function columnsOf({
  currency,
  groupBy,
  tagKey,
  total,
}: CostSeries): ReadonlyArray<Column<GroupRow>> {
  return [
    {
      title: groupBy === 'tag' && tagKey !== null ? `Tag ${tagKey}` : groupWords[groupBy],
      render: ({ label, color, narrow }) => (
        <>
          <span className="cost-key" style={{ background: color }} aria-hidden="true" />
          {narrow ? (
            <Link to="/cost" search={narrow}>
              {label}
            </Link>
          ) : (
            label
          )}
        </>
      ),
    },
    {
      title: 'Cost',
      render: ({ total: own }) => <span className="num">{money(own, currency)}</span>,
    },
    {
      title: 'Share',
      look: 'dim',
      render: ({ total: own }) =>
        total > 0 ? <span className="num">{((100 * own) / total).toFixed(1)} %</span> : '',
    },
    {
      title: 'Days before',
      look: 'dim',
      render: ({ before }) =>
        before === undefined ? '–' : <span className="num">{money(before, currency)}</span>,
    },
    {
      title: 'Change',
      render: ({ total: own, before }) => <span className="num">{changeWords(own, before)}</span>,
    },
  ]
}

function changeWords(now: number, before: number | undefined): string {
  if (before === undefined) return '–'
  return change(now, before) ?? (now > 0 && before === 0 ? 'new' : '–')
}
