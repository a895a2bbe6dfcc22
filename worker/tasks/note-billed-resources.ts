import type { Deps } from '../../activities/deps.ts'
import { noteBilledResources, tidyBilledResources } from '../../app/finops/note-billed-resources.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { billedResources } from '../../store/clouds/billed-resources.ts'
import { untidiedResources } from '../../store/platform/untidied-resources.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxOrganizations = 20
/** Of one organization in a run: a year of bills comes at once. */
const maxSlices = 5
const task = 'note-billed-resources'

/** Enters what only bills know into the list of resources, and removes what no bill has any more. */
export const noteBilledResourcesTask = ({
  store,
  log,
}: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 10_000,
  async run() {
    const organizations = await untidiedResources(store.platform, maxOrganizations)
    let isMore = organizations.length === maxOrganizations
    const places = organizations.map((organizationId) => ({ organizationId }))
    await eachByItself(places, {
      task,
      log,
      // One with millions of resources takes minutes.
      atOnce: 3,
      work: async ({ organizationId }) => {
        const slices = await store.tenant(organizationId, async (tenant) =>
          billedResources(tenant).unnoted(maxSlices),
        )
        for (const sliceId of slices) await noteBilledResources(store, { organizationId, sliceId })
        if (slices.length === maxSlices) isMore = true
        else await tidyBilledResources(store, organizationId)
      },
    })
    return isMore ? 'more' : 'done'
  },
})
