import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { endApplicationRun } from '../runs/end-application-run.ts'
import type { CheckedRelease } from './check-before-deploy.ts'
import { faultOfRelease } from './sign-order.ts'

/**
 * Ends a run that is about to deploy, if its artifact or its manifest is not what was signed after the build: before
 * a host or a run of the target workspace is given anything. Whether it did.
 */
export async function endIfChanged(
  deps: { keyring: Keyring },
  tenant: Tenant,
  { runId, pipelineId, pipelineName }: CheckedRelease,
): Promise<boolean> {
  const fault = await faultOfRelease(deps, tenant, runId)
  if (fault === undefined) return false
  await auditLog(tenant, systemActor).record('pipeline.release_refused', {
    outcome: 'denied',
    target: { kind: 'run', id: runId, label: pipelineName },
    detail: { pipelineId, because: fault },
  })
  await endApplicationRun(
    tenant,
    { runId, actor: systemActor, from: ['deploy_queued'] },
    {
      phase: 'failed',
      reason: 'deploy_errored',
      message: `The release is not what was signed after its build: ${fault}. Build its commit again.`,
    },
  )
  return true
}
