import type { Store } from '../../store/driver/connect.ts'
import { forgetLooks } from '../../store/platform/forget-looks.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** The limit of one run per table, so that no statement holds locks for long. */
const maxRows = 2_000

/** Deletes old looks at bills. Hourly: what stays is looked at in each run. */
export const forgetLooksTask = ({ store }: { store: Store }): RecurringTask => ({
  name: 'forget-looks',
  everyMs: 3_600_000,
  run: async () => ((await forgetLooks(store.platform, maxRows)) ? 'more' : 'done'),
})
