import type { Logger } from 'pino'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { expiredPlanApprovals } from '../../store/platform/expired-plan-approvals.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
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
        store.tenant(organizationId, async (tenant) => {
          const held = await holdExpired(tenant, workspaceRunId)
          if (!held) return
          await endRun(
            tenant,
            { organizationId, workspaceRunId, actor: systemActor, held },
            {
              phase: 'failed',
              reason: 'approval_expired',
              message: 'Nobody let its files be planned in time. Start a new run.',
            },
          )
        }),
    })
    return 'done'
  },
})

/** Decisions are made under this lock: one that came after the run was listed is seen, and stands. */
async function holdExpired(tenant: Tenant, workspaceRunId: number) {
  const { workspaceId } = await workspaceRuns(tenant).get(workspaceRunId)
  const workspace = await workspaces(tenant).getForUpdate(workspaceId)
  const run = await workspaceRuns(tenant).get(workspaceRunId)
  const { phase, approvalExpiresAt } = run
  const isExpired = approvalExpiresAt !== null && approvalExpiresAt.getTime() <= Date.now()
  return phase === 'awaiting_plan_approval' && isExpired ? { run, workspace } : undefined
}
