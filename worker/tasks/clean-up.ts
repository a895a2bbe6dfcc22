import type { Store } from '../../store/driver/connect.ts'
import { cleanUp } from '../../store/platform/clean-up.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** The limit of one run per table, so that no statement holds locks for long. */
const maxRows = 2_000

/** Deletes expired rows. */
export const cleanUpTask = ({ store }: { store: Store }): RecurringTask => ({
  name: 'clean-up',
  everyMs: 60_000,
  run: async () => ((await cleanUp(store.platform, maxRows)) ? 'more' : 'done'),
})
