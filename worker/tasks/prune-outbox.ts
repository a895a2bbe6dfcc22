import type { Store } from '../../store/driver/connect.ts'
import { outboxQueue } from '../../store/platform/outbox-queue.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** Deletes old delivered rows of the outbox. */
export const pruneOutboxTask = ({ store }: { store: Store }): RecurringTask => ({
  name: 'prune-outbox',
  everyMs: 6 * 3_600_000,
  async run() {
    await outboxQueue(store.platform).prune()
    return 'done'
  },
})
