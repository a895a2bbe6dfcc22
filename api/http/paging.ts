/** PostgreSQL's integer: what a list without an end starts from, counting down. */
export const maxKey = 2_147_483_647

/**
 * Cursors are the last key of a page: nobody is lost or shown twice while rows come and go.
 * Whatever the schema lets through is a key. One that no list has given leads to an empty page at worst.
 */
export function decodeCursor(cursor: string | undefined, start: number): number {
  if (cursor === undefined) return start
  // A list of wider keys (bigint) starts above PostgreSQL's integer, and says so by its start.
  return Math.min(Number(cursor), Math.max(maxKey, start))
}

/** Cuts a list that was asked for one row more than the page has, and names the last key where there is a next page. */
export function page<T extends { id: number }>(
  rows: readonly T[],
  limit: number,
): { rows: T[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, nextCursor: rows.length > limit && last ? String(last.id) : null }
}
