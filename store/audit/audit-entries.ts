import type { Knex } from 'knex'
import { invalid } from '../../domain/errors.ts'
import { askNamed } from '../driver/ask-prepared.ts'
import { isStatementTimeout } from '../driver/connect.ts'
import { limitStatements } from '../driver/limit-statements.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type AuditEntry = {
  id: number
  at: Date
  event: string
  outcome: 'success' | 'denied' | 'failure'
  actorKind: 'user' | 'token' | 'scim' | 'agent' | 'system'
  actorId: number | null
  actorLabel: string
  targetKind: string | null
  targetId: string | null
  targetLabel: string | null
  detail: Record<string, unknown>
  ip: string | null
  requestId: string | null
}

export type EntryOfTarget = Pick<
  AuditEntry,
  'id' | 'at' | 'event' | 'outcome' | 'actorLabel' | 'detail'
>

/** An entry with its hash, once it is sealed, and for a denial how often it happened that minute. */
export type ListedEntry = AuditEntry & { hash: Buffer | null; count: number | null }

export type AuditFilter = {
  /** One event's name, or with `area` every event of it. */
  event?: { name: string } | { area: string }
  actor?: { kind: string; id?: number } | { id: number } | { label: string }
  target?: { kind: string; id: string } | { any: string }
  /** Inclusive. */
  from?: Date
  /** Exclusive. */
  to?: Date
}

/** `through` is inclusive. */
export type AuditSlice = AuditFilter & { limit: number } & (
    | { before: number }
    | { after: number; through?: number }
  )

/** A filter by a text has no index: what few entries have is looked for in all of them. */
const maxSearchMs = 20_000

/** What was done to one thing, oldest first; at most 500 entries. */
export async function auditEntriesOf(
  tenant: Tenant,
  target: { kind: string; id: string },
): Promise<EntryOfTarget[]> {
  const { db, organizationId } = unwrap(tenant)
  return askNamed<EntryOfTarget>(
    db,
    'audit-entries-of',
    db.raw(
      `select id, at, event, outcome, actor_label as "actorLabel", detail from audit_entries
       where organization_id = ? and target_kind = ? and target_id = ? order by id limit 500`,
      [organizationId, target.kind, target.id],
    ),
  )
}

/** The audit log of one organization, by key in either direction: page 10,000 costs what page 1 does. */
export function auditEntries(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const slice = (filter: AuditSlice, event?: string) => {
    const rows = db('audit_entries').where({ organizationId }).limit(filter.limit)
    if ('before' in filter) void rows.where('id', '<', filter.before).orderBy('id', 'desc')
    else {
      void rows.where('id', '>', filter.after).orderBy('id')
      if (filter.through !== undefined) void rows.where('id', '<=', filter.through)
    }
    if (event !== undefined) void rows.where({ event })
    return narrow(rows, filter)
  }

  return {
    /** For 20 s at most: past that 400 `search_too_broad`. */
    async page(filter: AuditSlice): Promise<ListedEntry[]> {
      await limitStatements(tenant, maxSearchMs)
      try {
        const entries = await this.list(filter)
        // What follows in the transaction has no fault of its own for an ended statement.
        await limitStatements(tenant, 0)
        return entries
      } catch (error) {
        if (!isStatementTimeout(error)) throw error
        throw invalid(
          'The search took too long. Narrow it, by an event, an actor or a time.',
          undefined,
          'search_too_broad',
        )
      }
    },

    /** However long it takes: `page` has a limit. */
    async list(filter: AuditSlice): Promise<ListedEntry[]> {
      if (isWhole(filter))
        return askNamed(
          db,
          'newest-audit-entries',
          db.raw(newestSql, { ...filter, organizationId }),
        )
      const names = filter.event && (await this.eventNames(filter.event))
      // One ordered read of the index for each name: together they hold the page, however rare the area.
      const reads = names?.map((name) => slice(filter, name)) ?? [slice(filter)]
      if (reads.length === 0) return []
      const order = 'before' in filter ? 'desc' : 'asc'
      const page = db
        .from(db.unionAll(reads, true).as('every'))
        .orderBy('id', order)
        .limit(filter.limit)
      return db
        .from(page.as('e'))
        .leftJoin('audit_seals as s', (on) =>
          on.on('s.organization_id', 'e.organization_id').andOn('s.entry_id', 'e.id'),
        )
        .leftJoin('audit_denials as d', (on) =>
          on.on('d.organization_id', 'e.organization_id').andOn('d.entry_id', 'e.id'),
        )
        .orderBy('e.id', order)
        .select('e.*', 's.hash', 'd.count')
    },

    /** The newest entry there is: where an export that begins now will end. */
    async newestId(): Promise<number> {
      const row = await db('audit_entries')
        .where({ organizationId })
        .orderBy('id', 'desc')
        .first('id')
      return row?.id ?? 0
    },

    /** The id of the entry that is so many entries after this one; undefined where there are fewer. */
    async idFurtherOn(after: number, entries: number): Promise<number | undefined> {
      const row = await db('audit_entries')
        .where({ organizationId })
        .where('id', '>', after)
        .orderBy('id')
        .offset(entries - 1)
        .first('id')
      return row?.id
    },

    /** The events of an area that this organization has, hopping from name to name in the index. */
    async eventNames(wanted: { name: string } | { area: string }): Promise<string[]> {
      if ('name' in wanted) return [wanted.name]
      const { rows } = await db.raw(
        `with recursive names as (
           (select event from audit_entries where organization_id = :organizationId order by event limit 1)
           union all
           select (select e.event from audit_entries e
             where e.organization_id = :organizationId and e.event > names.event order by e.event limit 1)
           from names where names.event is not null)
         select event from names where starts_with(event, :prefix)`,
        { organizationId, prefix: `${wanted.area}.` },
      )
      return rows.map(({ event }: { event: string }) => event)
    },
  }
}

type NewestSlice = { before: number; limit: number }

/** A page of the log that is not searched, newest first: what its page in the console asks for. */
const isWhole = (slice: AuditSlice): slice is NewestSlice =>
  'before' in slice && slice.limit <= 201 && Object.keys(slice).length === 2

/**
 * The limit of 201 (a full page and one) and the list of ids tell the planner how few rows there are: it keeps its
 * plan. Planning a read of every month of the log anew took longer than the page.
 */
const newestSql = `with page as materialized (
    select * from (
      select id, at, event, outcome, actor_kind, actor_id, actor_label, target_kind, target_id, target_label,
        detail, ip, request_id
      from audit_entries where organization_id = :organizationId and id < :before
      order by id desc limit 201) newest
    limit :limit)
  select e.id, e.at, e.event, e.outcome, e.actor_kind as "actorKind", e.actor_id as "actorId",
    e.actor_label as "actorLabel", e.target_kind as "targetKind", e.target_id as "targetId",
    e.target_label as "targetLabel", e.detail, e.ip, e.request_id as "requestId", s.hash, d.count
  from page e
    left join audit_seals s on s.organization_id = :organizationId and s.entry_id = e.id
      and s.entry_id = any(array(select id from page))
    left join audit_denials d on d.organization_id = :organizationId and d.entry_id = e.id
      and d.entry_id = any(array(select id from page))
  order by e.id desc`

function narrow(rows: Knex.QueryBuilder, { actor, target, from, to }: AuditFilter) {
  // An address is one in any case of letters.
  if (actor && 'label' in actor) void rows.whereRaw('lower(actor_label) = lower(?)', [actor.label])
  else if (actor) {
    if ('kind' in actor) void rows.where({ actorKind: actor.kind })
    if (actor.id !== undefined) void rows.where({ actorId: actor.id })
  }
  if (target && 'any' in target)
    void rows.whereRaw('(target_kind = ? or target_id = ? or lower(target_label) = lower(?))', [
      target.any,
      target.any,
      target.any,
    ])
  else if (target) void rows.where({ targetKind: target.kind, targetId: target.id })
  if (from) void rows.where('at', '>=', from)
  if (to) void rows.where('at', '<', to)
  return rows
}
