import type { Deps } from '../../activities/deps.ts'
import { rebuildDays } from '../../app/finops/rebuild-days.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { notedRebuilds } from '../../store/platform/noted-rebuilds.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxRebuilds = 50
const task = 'rebuild-cost'

/** Brings the cost of each owner up to date with the states that changed. */
export const rebuildCostTask = ({ store, log }: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 10_000,
  async run() {
    await eachByItself(await notedRebuilds(store.platform, maxRebuilds), {
      task,
      log,
      work: async (noted) => rebuildDays(store, noted),
    })
    return 'done'
  },
})
