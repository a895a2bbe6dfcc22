import { systemActor } from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'
import { endRun } from '../../app/pipelines/end-run.ts'
import { expiredPlanApprovals } from '../../store/platform/expired-plan-approvals.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** In one run; the others are found a second later. */
const maxRuns = 200

/** Ends runs that waited too long for a second operator to let their files be planned. */
export const expirePlanApprovalsTask = ({ store }: { store: Store }): RecurringTask => ({
  name: 'expire-plan-approvals',
  everyMs: 1_000,
  async run() {
    const expired = await expiredPlanApprovals(store.platform, maxRuns)
    for (const { organizationId, runId } of expired)
      await store.tenant(organizationId, async (tenant) =>
        endRun(
          tenant,
          { organizationId, runId, actor: systemActor },
          {
            phase: 'failed',
            reason: 'approval_expired',
            message: 'Nobody let its files be planned in time. Start a new run.',
          },
        ),
      )
    return 'done'
  },
})
