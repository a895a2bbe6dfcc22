import type { Column } from '../parts/data-table.tsx'
import { commitmentKind, leastUsed, shareWords } from './commitment-words.ts'
import { nameOfGroup } from './cost-words.ts'
import { money } from './money.ts'
import type { Commitment } from './queries.ts'

/** `id` is that of the row: two clouds may have the same one. */
type Row = Commitment & { commitmentId: string }

export function commitmentColumns(currency: string): ReadonlyArray<Column<Row>> {
  const amount = (title: string, of: 'amortised' | 'used' | 'unused'): Column<Row> => ({
    title,
    render: (row) => <span className="num">{money(row[of], currency)}</span>,
  })
  return [
    {
      title: 'Commitment',
      render: ({ commitmentId, name, type, category }) => (
        <>
          {name ?? <code className="address">{commitmentId}</code>}
          {name !== null && <code className="row-sub detail">{commitmentId}</code>}
          <span className="row-sub">{commitmentKind({ type, category })}</span>
        </>
      ),
    },
    { title: 'Cloud', render: ({ provider }) => nameOfGroup('provider', provider) },
    amount('Paid', 'amortised'),
    amount('Used', 'used'),
    amount('Unused', 'unused'),
    {
      title: 'Utilization',
      render: ({ utilization }) => <Utilization utilization={utilization} />,
    },
    {
      title: 'Savings',
      render: ({ savings }) =>
        savings === null ? (
          <span className="dim" title="The bill has no price of a part of what was used.">
            unknown
          </span>
        ) : (
          <span className={`num ${savings < 0 ? 'bad-text' : ''}`}>{money(savings, currency)}</span>
        ),
    },
  ]
}

/** The share that was used. The words beside the bar have the figure. */
function Utilization({ utilization }: Pick<Commitment, 'utilization'>) {
  if (utilization === null) return <span className="dim">cost nothing</span>
  const isLow = utilization < leastUsed
  const percent = Math.max(0, Math.min(100, 100 * utilization))
  return (
    <>
      <span className="utilization-words">
        <span className="num">{shareWords(utilization)}</span>
        {isLow && <span className="tag warn">under {leastUsed * 100} %</span>}
      </span>
      <span className="budget-bar utilization" aria-hidden="true">
        <span className={`spent ${isLow ? 'warn' : ''}`} style={{ width: `${percent}%` }} />
        <span className="mark amount" style={{ left: `${leastUsed * 100}%` }} />
      </span>
    </>
  )
}
