/** For a list that the API pages by id and that is shown by name. */
export const sortedBy = <Row>(rows: readonly Row[], textOf: (row: Row) => string): Row[] =>
  rows.toSorted((a, b) => textOf(a).localeCompare(textOf(b), 'en'))
