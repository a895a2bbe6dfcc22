import { askNamed } from '../driver/ask-prepared.ts'
import type { PlatformDb } from '../driver/connect.ts'

export type OutboxRow = {
  id: number
  organizationId: number | null
  kind: 'start' | 'signal'
  workflowType: string | null
  workflowId: string
  taskQueue: string | null
  signalName: string | null
  args: unknown[]
  options: { summary?: string; searchAttributes?: Record<string, string | number> }
  attempts: number
  /** Later signals of the same workflow, which this one makes superfluous. */
  covers: number[]
}

/** The lease of a relay on a row. */
const leaseSeconds = 20
const maxAttempts = 200
/** From here on a row waits ten seconds before each attempt. */
const attemptsOfLongestWait = 6
/** Rows of one organization that a relay delivers at once. */
const ofOrganization = 20
/** Signals that one signal stands for. */
const mostCovered = 10_000

/** The outbox of all organizations. Rows are claimed by lease: no transaction is open while Temporal is called. */
export function outboxQueue(db: PlatformDb) {
  return {
    /**
     * The first row of each organization comes first, so that no organization waits behind the thousands of another.
     * In order per workflow: a row waits for older undelivered rows of its workflow. `underWay` names the organization
     * of each row that this relay delivers now, 0 for a row of none.
     */
    async claim(limit: number, underWay: readonly number[]): Promise<OutboxRow[]> {
      const query = db.raw(claimRows, [[...underWay], limit])
      const rows = await askNamed<OutboxRow>(db, 'claim-outbox', query)
      return rows.toSorted((a, b) => a.id - b.id)
    },

    async done({ id, covers }: Pick<OutboxRow, 'id' | 'covers'>): Promise<void> {
      await db('outbox')
        .whereRaw('id = any(?::bigint[])', [[id, ...covers]])
        .update({ doneAt: db.fn.now() })
    },

    /**
     * Retries with backoff, for as long as Temporal is away. A row that Temporal itself refuses many times, with no other
     * failure between, is left for an operator: attempts during an outage do not count.
     */
    async failed(
      row: OutboxRow,
      { error, isRefused }: { error: string; isRefused: boolean },
    ): Promise<void> {
      const seconds = Math.min(10, 0.25 * 2 ** Math.min(row.attempts, attemptsOfLongestWait))
      await db('outbox')
        .where({ id: row.id })
        .update({
          lastError: error.slice(0, 500),
          availableAt: db.raw(`now() + make_interval(secs => ?)`, [seconds]),
          ...(isRefused
            ? row.attempts >= maxAttempts && { deadAt: db.fn.now() }
            : { attempts: db.raw('least(attempts, ?)', [attemptsOfLongestWait]) }),
        })
    },

    /** Delivered rows are kept for a week, for inspection. */
    async prune(): Promise<void> {
      await db('outbox').where('doneAt', '<', db.raw(`now() - interval '7 days'`)).delete()
    },
  }
}

/**
 * `place` counts what is under way too, so that an organization of which nothing is delivered yet comes first. A signal
 * carries nothing and its workflow reads the store, so one covers those that are committed behind it: the agents of a
 * deployment queue hundreds, and each of them waits for the one before it. One that is committed later is not covered,
 * because the workflow may have read the store by then.
 *
 * Each part of the statement admits one index. The planner expects one undelivered row, or after a burst that most rows
 * are undelivered, and compared each row with each (2 s for 600) or read the table for each row (18 s for 60,000).
 * `coalesce(done_at, dead_at) is null` is the predicate of `outbox_lines` alone. Orders are named from the first column
 * of their index on, and workflows compared by `>=`, not by `=`, which would let the order of ids alone do. The
 * predicate of the locked row is that of no index, so the row is found by its id.
 */
const claimRows = `
  with recursive lines (line) as (
    -- One probe of the index for each organization that has rows, however many organizations and rows there are.
    (select coalesce(o.organization_id, 0) from outbox o where coalesce(o.done_at, o.dead_at) is null
      order by coalesce(o.organization_id, 0) limit 1)
    union all
    select (select coalesce(o.organization_id, 0) from outbox o where coalesce(o.done_at, o.dead_at) is null
      and coalesce(o.organization_id, 0) > l.line order by coalesce(o.organization_id, 0) limit 1)
    from lines l where l.line is not null),
  busy as (
    select line, count(*) as under_way from unnest(array(select unnest(?::integer[]))) as u (line) group by line),
  waiting as materialized (
    select r.id, r.available_at, coalesce(b.under_way, 0)
      + row_number() over (partition by l.line order by r.available_at, r.id) as place
    from lines l
      cross join lateral (
        select o.id, o.available_at from outbox o
        where coalesce(o.done_at, o.dead_at) is null and coalesce(o.organization_id, 0) = l.line
          and o.available_at <= now()
          and o.id = (select s.id from outbox s where s.done_at is null and s.dead_at is null
            and (s.workflow_id, s.id) >= (o.workflow_id, 0) order by s.workflow_id, s.id limit 1)
        order by coalesce(o.organization_id, 0), o.available_at, o.id limit ${ofOrganization}) r
      left join busy b on b.line = l.line),
  chosen as (
    select o.id from waiting w join outbox o on o.id = w.id
    where w.place <= ${ofOrganization}
      -- Asked again of the locked row: another relay may have claimed it since.
      and least(o.done_at, o.dead_at) is null and o.available_at <= now()
    order by w.place, w.available_at, w.id limit ? for update of o skip locked)
  update outbox o set attempts = attempts + 1, available_at = now() + interval '${leaseSeconds} seconds'
  from chosen c where o.id = c.id
  returning o.id, organization_id as "organizationId", kind, workflow_type as "workflowType",
    workflow_id as "workflowId", task_queue as "taskQueue", signal_name as "signalName", args, options, attempts,
    (select coalesce(json_agg(f.id), '[]') from (
      select s.id from outbox s where s.done_at is null and s.dead_at is null
        and (s.workflow_id, s.id) > (o.workflow_id, o.id) and s.workflow_id <= o.workflow_id
        and o.kind = 'signal' and s.kind = 'signal' and s.signal_name = o.signal_name
      order by s.workflow_id, s.id limit ${mostCovered}) f) as covers`
