import { snakeCaseMappers } from 'objection'

const mappers = snakeCaseMappers()

/** The rows of a raw statement by the names of their properties: the driver renames those of built ones alone. */
export const camelRows = <Row>(rows: readonly object[]): Row[] =>
  // The caller names what its own statement selects.
  rows.map((row) => mappers.parse({ ...row }) as Row)
