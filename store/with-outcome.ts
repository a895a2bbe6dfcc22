import { endOf, type RunOutcome } from '../domain/runs/run-outcome.ts'

/** A condition that a run of this alias ended as one of these. */
export function endedAs(
  alias: string,
  outcomes: readonly RunOutcome[],
): { sql: string; bindings: string[][] } {
  const ends = outcomes.map(endOf)
  const sql = ends.map(({ isOneOf }) =>
    isOneOf
      ? `(${alias}.phase = any(?::text[]) and ${alias}.reason = any(?::text[]))`
      : `(${alias}.phase = any(?::text[]) and coalesce(${alias}.reason <> all(?::text[]), true))`,
  )
  return {
    sql: `(${sql.join(' or ')})`,
    bindings: ends.flatMap(({ phases, reasons }) => [[...phases], [...reasons]]),
  }
}
