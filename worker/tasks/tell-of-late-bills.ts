import type { Deps } from '../../activities/deps.ts'
import { tellOfLateBill } from '../../app/finops/tell-of-late-bill.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { changedLateSources } from '../../store/platform/late-sources.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxSources = 100
const task = 'tell-of-late-bills'

/** Tells of bills that became late: time alone makes them so, and no ingest. */
export const tellOfLateBillsTask = ({
  store,
  log,
}: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 600_000,
  async run() {
    const changed = await changedLateSources(store.platform, maxSources)
    await eachByItself(changed, {
      task,
      log,
      work: async ({ organizationId, sourceId }) =>
        store.tenant(organizationId, async (tenant) => tellOfLateBill(tenant, sourceId)),
    })
    return changed.length === maxSources ? 'more' : 'done'
  },
})
