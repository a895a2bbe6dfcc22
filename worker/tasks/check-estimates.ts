import type { Deps } from '../../activities/deps.ts'
import { checkEstimates } from '../../app/finops/check-estimates.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { dueEstimateChecks } from '../../store/platform/due-estimate-checks.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxOrganizations = 100
const task = 'check-estimates'

/** Holds what plans said that they would cost against the bills. */
export const checkEstimatesTask = ({ store, log }: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 600_000,
  async run() {
    await eachByItself(await dueEstimateChecks(store.platform, maxOrganizations), {
      task,
      log,
      work: async ({ organizationId }) => checkEstimates(store, organizationId),
    })
    // An organization of which one bill is late stays due: it is asked for at the next run.
    return 'done'
  },
})
