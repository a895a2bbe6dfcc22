import type { Store } from '../../store/driver/connect.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** Makes the partitions of this month and the next three before rows arrive for them. */
export const makePartitionsTask = ({ store }: { store: Store }): RecurringTask => ({
  name: 'make-partitions',
  everyMs: 6 * 3_600_000,
  async run() {
    await store.platform.raw(`select ensure_month_partitions('audit_entries', 3)`)
    await store.platform.raw(`select ensure_month_partitions('log_lines', 3)`)
    return 'done'
  },
})
