import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CostSearch } from '../app/searches.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import type { ChartGroup } from './cost-chart.tsx'
import { dayWords } from '../parts/day-words.ts'
import { money } from './money.ts'

type DayRow = { id: string; index: number }
type Props = {
  points: readonly string[]
  groups: readonly ChartGroup[]
  currency: string
  /** What the page of cost is narrowed to beside the day. */
  search: CostSearch
}

/** The figures of the chart by day and group; a day narrows the page to it. They are made when they are opened: a year has thousands. */
export function FiguresByDay({ points, groups, currency, search }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="section" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Figures by day</summary>
      {isOpen && (
        <DataTable
          label="Cost by day"
          rows={points.map((day, index) => ({ id: day, index })).toReversed()}
          columns={columnsOf({ groups, currency, search })}
        />
      )}
    </details>
  )
}

function columnsOf({
  groups,
  currency,
  search,
}: Omit<Props, 'points'>): ReadonlyArray<Column<DayRow>> {
  const amount = (of: (index: number) => number): Column<DayRow>['render'] =>
    function Amount({ index }) {
      return <span className="num">{money(of(index), currency)}</span>
    }
  const sumOf = (index: number) =>
    groups.reduce((sum, { amounts }) => sum + (amounts[index] ?? 0), 0)
  return [
    {
      title: 'Day',
      render: ({ id: day }) => (
        <Link to="/cost" search={{ ...search, from: day, to: day }}>
          {dayWords(day)}
        </Link>
      ),
    },
    { title: 'Cost', render: amount(sumOf) },
    ...(groups.length > 1
      ? groups.map(({ label, amounts }, position): Column<DayRow> => ({
          title: titleOf(groups, label, position),
          look: 'dim',
          render: amount((index) => amounts[index] ?? 0),
        }))
      : []),
  ]
}

/** Two accounts may have one name. */
function titleOf(groups: readonly ChartGroup[], label: string, position: number): string {
  const same = groups.slice(0, position).filter((group) => group.label === label).length
  return same === 0 ? label : `${label} (${same + 1})`
}
