import type { Logger } from 'pino'
import { expireLease } from '../../app/agents/expire-lease.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import type { Store } from '../../store/driver/connect.ts'
import { overdueLeases } from '../../store/platform/overdue-leases.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxLeases = 500

/** Ends the leases of agents that are lost, so that their runs know within a second after the lease. */
export const expireLeasesTask = ({ store, log }: { store: Store; log: Logger }): RecurringTask => ({
  name: 'expire-leases',
  everyMs: 1_000,
  async run() {
    const overdue = await overdueLeases(store.platform, maxLeases)
    await eachByItself(overdue, {
      task: 'expire-leases',
      log,
      work: async (lease) =>
        store.tenant(lease.organizationId, async (tenant) => expireLease(tenant, lease)),
    })
    return overdue.length === maxLeases ? 'more' : 'done'
  },
})
