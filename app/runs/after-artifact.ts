import { systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { endApplicationRun } from './end-application-run.ts'

/**
 * What follows once a run has its signed artifact, in the transaction that stores the signature. Without a
 * target the run ends. Does nothing for a run that is past this.
 */
export async function afterArtifact(tenant: Tenant, runId: number): Promise<void> {
  await endApplicationRun(
    tenant,
    { runId, actor: systemActor, from: ['building'] },
    { phase: 'succeeded', by: 'release' },
  )
}
