import { Fragment, type ReactNode } from 'react'
import { Scroller } from './scroller.tsx'

export type Column<Row> = {
  title: string
  render: (row: Row) => ReactNode
  /** `actions` is aligned to the right, and its title is visible to screen readers only. */
  look?: 'dim' | 'actions'
  /** Marks the column that is the header of its row. Default: the first column. */
  names?: true
}

type Props<Row> = {
  label: string
  rows: readonly Row[]
  /** `false` omits a column. */
  columns: ReadonlyArray<Column<Row> | false>
  /** What is open below a row. Below all of the list it would be out of reach of who reads the row. */
  below?: (row: Row) => ReactNode
}

/** A table that shows its rows as cards on a narrow screen. Without rows it renders nothing. */
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
            <Fragment key={row.id}>
              <tr>
                {columns.map((column, at) => (
                  <Cell key={column.title} column={column} row={row} names={at === naming} />
                ))}
              </tr>
              <Below columnCount={columns.length}>{props.below?.(row)}</Below>
            </Fragment>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

type BelowProps = { columnCount: number; children: ReactNode }

function Below({ columnCount, children }: BelowProps) {
  if (!children) return null
  return (
    <tr className="below-row">
      <td colSpan={columnCount}>{children}</td>
    </tr>
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
