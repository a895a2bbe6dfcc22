import { focusCsv } from './focus-csv.ts'

/** A bill of one day of the month, a row for each cost with its tags: all of one resource. */
export function taggedCsv(
  month: string,
  rows: ReadonlyArray<readonly [cost: number, tags: Record<string, string>]>,
): string {
  const bills = rows.map(([cost, tags]) => {
    const [head = '', row = ''] = focusCsv(month, [cost]).split('\n')
    return [`${head},Tags`, `${row},"${JSON.stringify(tags).replaceAll('"', '""')}"`]
  })
  return [...(bills[0]?.slice(0, 1) ?? []), ...bills.map(([, row]) => row), ''].join('\n')
}
