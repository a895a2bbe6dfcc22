import type { Logger } from 'pino'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { expiredPlanApprovals } from '../../store/platform/expired-plan-approvals.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** The limit of one run. The next run, a second later, finds the rest. */
const maxRuns = 200

/** Ends runs that waited too long for a second operator to let their files be planned. */
export const expirePlanApprovalsTask = ({
  store,
  log,
}: {
  store: Store
  log: Logger
}): RecurringTask => ({
  name: 'expire-plan-approvals',
  everyMs: 1_000,
  async run() {
    const expired = await expiredPlanApprovals(store.platform, maxRuns)
    await eachByItself(expired, {
      task: 'expire-plan-approvals',
      log,
      work: async ({ organizationId, workspaceRunId }) =>
        store.tenant(organizationId, async (tenant) =>
          endRun(
            tenant,
            { organizationId, workspaceRunId, actor: systemActor },
            {
              phase: 'failed',
              reason: 'approval_expired',
              message: 'Nobody let its files be planned in time. Start a new run.',
            },
          ),
        ),
    })
    return 'done'
  },
})
