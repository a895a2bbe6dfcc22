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
}

/** The lease of a relay on a row. */
const leaseSeconds = 20
const maxAttempts = 200

/** The outbox of all organizations. Rows are claimed by lease: no transaction is open while Temporal is called. */
export function outboxQueue(db: PlatformDb) {
  return {
    /** In order per workflow: a row waits for older undelivered rows of its workflow. */
    async claim(limit: number): Promise<OutboxRow[]> {
      const query = db.raw(
        `update outbox set attempts = attempts + 1, available_at = now() + interval '${leaseSeconds} seconds'
         where id in (
           select o.id from outbox o
           where o.done_at is null and o.dead_at is null and o.available_at <= now()
             and not exists (select 1 from outbox s where s.workflow_id = o.workflow_id
               and s.done_at is null and s.dead_at is null and s.id < o.id)
           order by o.id limit ? for update skip locked)
         returning id, organization_id as "organizationId", kind, workflow_type as "workflowType",
           workflow_id as "workflowId", task_queue as "taskQueue", signal_name as "signalName",
           args, options, attempts`,
        [limit],
      )
      const rows = await askNamed<OutboxRow>(db, 'claim-outbox', query)
      return rows.toSorted((a, b) => a.id - b.id)
    },

    async done(id: number): Promise<void> {
      await db('outbox').where({ id }).update({ doneAt: db.fn.now() })
    },

    /**
     * Retries with backoff, for as long as Temporal is away. A row that Temporal itself refuses after many attempts
     * is left for an operator.
     */
    async failed(
      row: OutboxRow,
      { error, isRefused }: { error: string; isRefused: boolean },
    ): Promise<void> {
      const seconds = Math.min(10, 0.25 * 2 ** Math.min(row.attempts, 6))
      await db('outbox')
        .where({ id: row.id })
        .update({
          lastError: error.slice(0, 500),
          availableAt: db.raw(`now() + make_interval(secs => ?)`, [seconds]),
          ...(isRefused && row.attempts >= maxAttempts && { deadAt: db.fn.now() }),
        })
    },

    /** Delivered rows are kept for a week, for inspection. */
    async prune(): Promise<void> {
      await db('outbox').where('doneAt', '<', db.raw(`now() - interval '7 days'`)).delete()
    },
  }
}
