import type { AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { releases } from '../../store/runs/releases.ts'
import { endApplicationRun } from './end-application-run.ts'
import { sendBackRelease } from './send-back-release.ts'
import { wakeApplication } from './wake-application.ts'

export type ReleaseChange = {
  pipelineId: number
  actor: AuditActor
  /** `stale`: something else would be deployed. `guard`: only who may approve it changed. */
  effect: 'stale' | 'guard'
  /** What changed, for the run's message and the audit entry. */
  what: string
}

/**
 * Settles the releases of a pipeline that wait for an approval, or for their turn, after a change of the
 * pipeline, of its variables or of its target. Called in the transaction of the change, which holds the
 * pipeline's row. A deployment under way goes on with what it began with.
 */
export async function voidWaitingReleases(
  tenant: Tenant,
  { pipelineId, actor, effect, what }: ReleaseChange,
): Promise<void> {
  for (const { runId, phase } of await releases(tenant).live(pipelineId)) {
    if (phase !== 'awaiting_approval' && phase !== 'deploy_queued') continue
    if (effect === 'guard') {
      await sendBackRelease(tenant, { runId, actor, because: what })
      continue
    }
    await endApplicationRun(
      tenant,
      { runId, actor, from: [phase] },
      {
        phase: 'failed',
        reason: 'plan_stale',
        message: `What is deployed changed after this release was made: ${what}. Start a new run.`,
      },
    )
    await wakeApplication(tenant, runId, 'void')
  }
}
