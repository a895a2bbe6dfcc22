import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { DataTable } from './data-table.tsx'

test('what a row opened stands below it and above the next row', () => {
  const page = renderToStaticMarkup(
    createElement(DataTable<{ id: number }>, {
      label: 'Syncs',
      rows: [{ id: 1 }, { id: 2 }, { id: 3 }],
      columns: [
        { title: 'Number', render: ({ id }) => `row ${id}` },
        { title: 'State', render: () => 'done' },
      ],
      below: ({ id }) => id === 2 && 'the places',
    }),
  )
  expect(page).toMatch(/row 2<.*<td colSpan="2">the places<.*row 3</)
  expect(page.match(/<tr/g)).toHaveLength(5)
})
