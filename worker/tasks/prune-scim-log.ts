import type { Store } from '../../store/driver/connect.ts'
import { pruneScimLog } from '../../store/platform/prune-scim-log.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** Keeps each organization's log of SCIM requests within its bound. */
export const pruneScimLogTask = ({ store }: { store: Store }): RecurringTask => ({
  name: 'prune-scim-log',
  everyMs: 5 * 60_000,
  async run() {
    await pruneScimLog(store.platform)
    return 'done'
  },
})
