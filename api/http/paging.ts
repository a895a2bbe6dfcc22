import type { Static } from 'typebox'
import { maxId } from '../../domain/max-id.ts'
import type { Page } from './schemas.ts'

/** Where a list that counts down starts. */
export const maxKey = maxId

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

/** A page by key of a list that was read whole. */
export function pageOfAll<T extends { id: number }>(
  all: readonly T[],
  { limit = 50, cursor }: Static<typeof Page>,
): { rows: readonly T[]; nextCursor: string | null } {
  const after = decodeCursor(cursor, 0)
  const rest = all.filter(({ id }) => id > after).toSorted((a, b) => a.id - b.id)
  return page(rest, limit)
}
