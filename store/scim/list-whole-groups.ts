import type { Knex } from 'knex'
import type { BoundedPage, ListPage } from './list-in-bytes.ts'

/** Pages of at most so many groups are never shorter than asked. */
export const maxWholeGroups = 100
/**
 * Of all members in a page: 100 groups of 100 each, which costs the API 40 ms of CPU and 17 MB. 20,000 would take 90 ms
 * and 34 MB.
 */
const maxMembers = 10_000
/** Of these as they are stored. The answer is about twice as large, with their addresses. */
const memberBytes = 1_310_720

/** SQL of ours, about a group `g`. */
type Listed = {
  columns: string
  /** Its members as JSON. */
  members: string
  /** How many it has, up to one more than are ever listed. */
  count: string
  mostListed: number
}

/**
 * One page in a stable order, with each of its groups: a client that asks on from `startIndex + count` would never see
 * those that a shorter page leaves out. Where the members are too many together, or their names too long,
 * the largest groups come without them (null), as a group of over `mostListed` does in any list.
 */
export async function listWholeGroups<T>(
  db: Knex,
  { columns, members, count, mostListed }: Listed,
  { organizationId, page }: { organizationId: number; page: ListPage },
): Promise<BoundedPage<T>> {
  const { filter, startIndex, count: wanted } = page
  const { rows } = await db.raw<{ rows: T[] }>(
    `with page as (
       select g.* from groups g where g.organization_id = ? ${filter ? `and ${filter.text}` : ''}
       order by g.created_at, g.id limit ? offset ?),
     counted as materialized (select g.*, ${count} as links from page g),
     placed as (
       select g.*, sum(g.links) over (order by g.links, g.id) as links_so_far from counted g),
     read as materialized (
       select g.*, case when g.links <= ${mostListed} and g.links_so_far <= ${maxMembers} then ${members} end as members
       from placed g),
     summed as (
       select g.*, sum(octet_length(g.members::text)) over (order by octet_length(g.members::text), g.id) as bytes_so_far
       from read g)
     select ${columns}, case when g.bytes_so_far <= ${memberBytes} then g.members end as members
       from summed g order by g.created_at, g.id`,
    [organizationId, ...(filter?.bindings ?? []), wanted, startIndex - 1],
  )
  return { rows, found: rows.length }
}
