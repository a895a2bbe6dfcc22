import type { Knex } from 'knex'
import { askForm } from '../driver/ask-prepared.ts'
import type { Sql } from './filter-to-sql.ts'

export type ListPage = { filter: Sql | undefined; startIndex: number; count: number }

/** `found`: how many resources the page would have, if it had not ended early. */
export type BoundedPage<T> = { rows: T[]; found: number }

/** Of all that is stored of a page's resources. The answer is about twice as large, with the addresses of links. */
const pageBytes = 393_216
/** A member of a group, or a group of a user, has at least this many bytes as JSON. */
const leastLinkBytes = 64

type Found<T> = T & { found: number }

/** SQL of ours; `alias` names the table's rows in each. */
type Listed = {
  table: string
  alias: string
  where: string
  /** How many members, or groups, a resource is shown with. */
  links: string
  columns: string
  /** The columns, by their names in the answer, whose bytes are counted. */
  counted: string
}

/**
 * One page in a stable order, the oldest first: resources that are made meanwhile are at the end. It ends before the
 * resource with which it would have more than `pageBytes`, but has at least one: a client asks on from
 * `startIndex + itemsPerPage` (RFC 7644 3.4.2.4). Links are read only of resources that their number leaves room for.
 */
export async function listInBytes<T>(
  db: Knex,
  { table, alias, where, links, columns, counted }: Listed,
  { organizationId, page }: { organizationId: number; page: ListPage },
): Promise<BoundedPage<T>> {
  const { filter, startIndex, count } = page
  const query = db.raw(
    `with page as (
       select ${alias}.* from ${table} ${alias} where ${where} ${filter ? `and ${filter.text}` : ''}
       order by ${alias}.created_at, ${alias}.id limit ? offset ?),
     placed as (
       select ${alias}.*, row_number() over ordered as place, sum(${links}) over ordered as links_so_far,
         count(*) over ()::integer as found
       from page ${alias} window ordered as (order by ${alias}.created_at, ${alias}.id)),
     shown as materialized (
       select ${columns}, ${alias}.place, ${alias}.found from placed ${alias}
       where ${alias}.place = 1 or ${alias}.links_so_far <= ${pageBytes / leastLinkBytes}),
     summed as (
       select shown.*, sum(octet_length(concat(${counted}))) over (order by place) as bytes_so_far from shown)
     select * from summed where place = 1 or bytes_so_far <= ${pageBytes} order by place`,
    [organizationId, ...(filter?.bindings ?? []), count, startIndex - 1],
  )
  // To plan a look-up costs more than its row.
  const rows = filter?.isLookUp
    ? await askForm<Found<T>>(db, query)
    : ((await query) as { rows: Array<Found<T>> }).rows
  return { rows, found: rows[0]?.found ?? 0 }
}
