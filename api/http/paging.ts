import { invalid } from '../../domain/errors.ts'

/** PostgreSQL's integer: what a list without an end starts from, counting down. */
export const maxKey = 2_147_483_647

/** Cursors are the last key of a page: nobody is lost or shown twice while rows come and go. */
export function decodeCursor(cursor: string | undefined, start: number): number {
  if (cursor === undefined) return start
  const key = Number(Buffer.from(cursor, 'base64url').toString())
  // A list of wider keys (bigint) starts above PostgreSQL's integer, and says so by its start.
  if (!Number.isInteger(key) || key < 0 || key > Math.max(maxKey, start))
    throw invalid('The cursor is not one that this list has given.', [
      { path: 'cursor', message: 'use nextCursor of the page before' },
    ])
  return key
}

/** Cuts a list that was asked for one row more than the page has, and names the last key where there is a next page. */
export function page<T extends { id: number }>(
  rows: readonly T[],
  limit: number,
): { rows: T[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const nextCursor =
    rows.length > limit && last ? Buffer.from(String(last.id)).toString('base64url') : null
  return { rows: shown, nextCursor }
}
