import type { Deps } from '../../activities/deps.ts'
import { mergeSlices } from '../../app/finops/merge-slices.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { unmergedCosts } from '../../store/platform/unmerged-costs.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxOrganizations = 20
const task = 'merge-cost'

/** Merges the sums of the months whose bills changed, so that a read of a year stays fast. */
export const mergeCostTask = ({ store, log }: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 5_000,
  async run() {
    const organizations = await unmergedCosts(store.platform, maxOrganizations)
    const rows = organizations.map((organizationId) => ({ organizationId }))
    await eachByItself(rows, {
      task,
      log,
      work: async ({ organizationId }) => mergeSlices(store, organizationId),
    })
    return organizations.length === maxOrganizations ? 'more' : 'done'
  },
})
