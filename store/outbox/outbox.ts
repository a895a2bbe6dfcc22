import { askForm } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { decidedSignal } from '../../domain/runs/decided-signal.ts'

export type WorkflowStart = {
  workflowType: string
  workflowId: string
  taskQueue: string
  /** Ids alone: payloads are readable in Temporal's UI. */
  input: Record<string, unknown>
  summary: string
  searchAttributes: Record<string, string | number>
  dedupeKey: string
  /** The earliest delivery, from now. */
  afterSeconds?: number
}

/**
 * What Temporal is told after this transaction commits. The relay delivers at least once, and
 * starts and signals are idempotent (docs/temporal.md).
 */
export function outbox(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  /** Adds the row and wakes the relay, in one statement. */
  const add = async (row: Record<string, unknown>): Promise<void> => {
    const adding = db('outbox')
      .insert({ organizationId, ...row })
      .onConflict('dedupeKey')
      .ignore()
    await askForm(db, db.with('added', adding).select(db.raw(`pg_notify('cc_outbox', '')`)))
  }

  return {
    async start(start: WorkflowStart): Promise<void> {
      await add({
        kind: 'start',
        workflowType: start.workflowType,
        workflowId: start.workflowId,
        taskQueue: start.taskQueue,
        args: JSON.stringify([start.input]),
        options: JSON.stringify({
          summary: start.summary,
          searchAttributes: start.searchAttributes,
        }),
        dedupeKey: start.dedupeKey,
        ...(start.afterSeconds !== undefined && {
          availableAt: db.raw('now() + make_interval(secs => ?)', [start.afterSeconds]),
        }),
      })
    },

    /** Wakes a workflow, which then reads the store. The signal carries nothing: any client could forge it. */
    async wake(workflowId: string, dedupeKey: string): Promise<void> {
      await add({ kind: 'signal', workflowId, signalName: decidedSignal, dedupeKey })
    },
  }
}
