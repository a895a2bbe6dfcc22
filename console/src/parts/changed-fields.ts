/**
 * The fields of a form whose values differ from those it was opened with. A save sends no other: it would take
 * back what another person changed meanwhile.
 */
export function changedFields<Typed extends object>(
  typed: Typed,
  was: { [Field in keyof Typed]?: unknown },
): Partial<Typed> {
  const before = new Map<string, unknown>(Object.entries(was))
  const changed = Object.entries(typed).filter(
    ([field, value]) => textOf(value) !== textOf(before.get(field)),
  )
  // These are entries of `typed`.
  return Object.fromEntries(changed) as Partial<Typed>
}

/** The order of the fields of an object says nothing, such as that of the attributes of a price. */
const textOf = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, part: unknown) =>
    part instanceof Object && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
