import type { PlatformDb } from '../connect.ts'

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

/** A relay that dies with a row in hand gives it back after so long. */
const leaseSeconds = 20
const maxAttempts = 200

/** What the engine must be told: claimed by lease, so that no transaction is open while it is called. */
export function outboxQueue(db: PlatformDb) {
  return {
    /** Rows in order per workflow: one that has an older undone sibling waits for it. */
    async claim(limit: number): Promise<OutboxRow[]> {
      const { rows } = await db.raw(
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
      return rows.toSorted((a: OutboxRow, b: OutboxRow) => a.id - b.id)
    },

    async done(id: number): Promise<void> {
      await db('outbox').where({ id }).update({ doneAt: db.fn.now() })
    },

    /** Again after a growing pause; after very many tries it is left for an operator to look at. */
    async failed(row: OutboxRow, error: string): Promise<void> {
      const seconds = Math.min(10, 0.25 * 2 ** Math.min(row.attempts, 6))
      await db('outbox')
        .where({ id: row.id })
        .update({
          lastError: error.slice(0, 500),
          availableAt: db.raw(`now() + make_interval(secs => ?)`, [seconds]),
          ...(row.attempts >= maxAttempts && { deadAt: db.fn.now() }),
        })
    },

    /** Told rows are kept for a week, to be looked at. */
    async prune(): Promise<void> {
      await db('outbox').where('doneAt', '<', db.raw(`now() - interval '7 days'`)).delete()
    },
  }
}
