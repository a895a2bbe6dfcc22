import type { Store } from '../../store/driver/connect.ts'
import { makePartitions } from '../../store/platform/make-partitions.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** Makes the partitions of this month and the next three before rows arrive for them. */
export const makePartitionsTask = ({ store }: { store: Store }): RecurringTask => ({
  name: 'make-partitions',
  everyMs: 6 * 3_600_000,
  async run() {
    await makePartitions(store.platform)
    return 'done'
  },
})
