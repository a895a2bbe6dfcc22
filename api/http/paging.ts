/** PostgreSQL's largest integer: where a list that counts down starts. */
export const maxKey = 2_147_483_647

/**
 * A cursor is the last key of a page, so no row is skipped or repeated while rows come and go. Any
 * value the schema accepts is a key; one that no list returned leads to an empty page at worst.
 */
export function decodeCursor(cursor: string | undefined, start: number): number {
  if (cursor === undefined) return start
  // A list of wider keys (bigint) starts above PostgreSQL's integer, as its `start` says.
  return Math.min(Number(cursor), Math.max(maxKey, start))
}

/** Cuts a list that was read with one row more than the page, and returns the last key if there is a next page. */
export function page<T extends { id: number }>(
  rows: readonly T[],
  limit: number,
): { rows: T[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, nextCursor: rows.length > limit && last ? String(last.id) : null }
}

/** A page of a list that was read whole, by key; without a limit and a cursor all of it, in its own order. */
export function pageOfAll<T extends { id: number }>(
  all: readonly T[],
  { limit, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): { rows: readonly T[]; nextCursor: string | null } {
  if (limit === undefined && cursor === undefined) return { rows: all, nextCursor: null }
  const after = decodeCursor(cursor, 0)
  const rest = all.filter(({ id }) => id > after).toSorted((a, b) => a.id - b.id)
  return page(rest, limit ?? rest.length)
}
