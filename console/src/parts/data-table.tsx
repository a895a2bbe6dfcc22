import type { ReactNode } from 'react'
import { Scroller } from './scroller.tsx'

export type Column<Row> = {
  title: string
  render: (row: Row) => ReactNode
  /** `actions` has no title to be seen, and stands at the right. */
  look?: 'dim' | 'actions'
  /** What a row is called by; else its first column is. */
  names?: true
}

type Props<Row> = {
  label: string
  rows: readonly Row[]
  /** A column that is not for everybody may be false. */
  columns: ReadonlyArray<Column<Row> | false>
}

/** On a narrow screen each row is a card. Nothing where there are no rows: what to say instead is the page's. */
export function DataTable<Row extends { id: number | string }>(props: Props<Row>) {
  const columns = props.columns.filter((column) => column !== false)
  const naming = Math.max(
    0,
    columns.findIndex(({ names }) => names),
  )
  if (props.rows.length === 0) return null
  return (
    <Scroller label={props.label} className="table-box cards">
      <table>
        <thead>
          <tr>
            {columns.map(({ title, look }) => (
              <th scope="col" key={title}>
                {look === 'actions' ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.id}>
              {columns.map((column, at) => (
                <Cell key={column.title} column={column} row={row} names={at === naming} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

type CellProps<Row> = { column: Column<Row>; row: Row; names: boolean }

function Cell<Row>({ column: { title, render, look }, row, names }: CellProps<Row>) {
  const shown = render(row)
  if (names) return <th scope="row">{shown}</th>
  if (look === 'actions')
    return (
      <td className="acts">
        <span className="table-actions">{shown}</span>
      </td>
    )
  return (
    <td data-title={title} className={look}>
      {shown}
    </td>
  )
}
