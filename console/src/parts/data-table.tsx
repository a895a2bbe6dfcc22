import type { ReactNode } from 'react'
import { Scroller } from './scroller.tsx'

export type Column<Row> = {
  title: string
  render: (row: Row) => ReactNode
  /** `actions` has no title to be seen, and stands at the right. */
  look?: 'dim' | 'actions'
}

type Props<Row> = {
  label: string
  rows: readonly Row[]
  /** The first one names the row; a column that is not for everybody may be false. */
  columns: ReadonlyArray<Column<Row> | false>
}

/** Nothing where there are no rows: what to say instead is the page's. */
export function DataTable<Row extends { id: number | string }>(props: Props<Row>) {
  const columns = props.columns.filter((column) => column !== false)
  if (props.rows.length === 0) return null
  return (
    <Scroller label={props.label}>
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
                <Cell key={column.title} column={column} row={row} names={at === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

type CellProps<Row> = { column: Column<Row>; row: Row; names: boolean }

function Cell<Row>({ column: { render, look }, row, names }: CellProps<Row>) {
  if (names) return <th scope="row">{render(row)}</th>
  if (look === 'dim') return <td className="dim">{render(row)}</td>
  return (
    <td>
      {look === 'actions' ? <span className="table-actions">{render(row)}</span> : render(row)}
    </td>
  )
}
