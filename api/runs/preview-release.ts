import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { batchSizes } from '../../domain/pipelines/batches.ts'
import { planRelease } from '../../domain/pipelines/release-plan.ts'
import { agentsOfTarget } from '../../store/deployments/agents-of-target.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { ApplicationRunView } from '../../store/runs/application-runs.ts'
import { releases } from '../../store/runs/releases.ts'
import type { RunBody } from './schemas.ts'

/** A run of the workspace deploys, and no host is changed. */
const ofWorkspace = {
  strategy: 'workspace',
  batch: 0,
  batches: 0,
  hosts: {
    total: 0,
    pending: 0,
    updating: 0,
    healthy: 0,
    failed: 0,
    rolledBack: 0,
    unreachable: 0,
  },
  confirm: null,
  rolledBackTo: null,
  runId: null,
}

/**
 * How the deployment of a run that waits would go now: what its approver decides about. Null for a run
 * that does not wait for one. Few runs of a pipeline wait at once, so each is read by itself.
 */
export async function previewRelease(
  tenant: Tenant,
  { id, phase, targetWorkspaceId }: ApplicationRunView,
): Promise<NonNullable<RunBody['deployment']> | null> {
  if (targetWorkspaceId === null || (phase !== 'awaiting_approval' && phase !== 'deploy_queued'))
    return null
  const { resolvedStrategy: strategy, manifest } = await releases(tenant).get(id)
  if (!strategy) return null
  if (strategy.kind === 'workspace') return { ...ofWorkspace, hosts: { ...ofWorkspace.hosts } }
  const { labels } = planRelease(checkManifest(manifest ?? '').manifest?.deploy)
  const { online, total } = await agentsOfTarget(tenant, targetWorkspaceId, labels)
  return {
    strategy: strategy.kind,
    batch: 0,
    batches: strategy.kind === 'blue-green' ? 2 : batchSizes(strategy, online).length,
    hosts: {
      total,
      pending: online,
      updating: 0,
      healthy: 0,
      failed: 0,
      rolledBack: 0,
      unreachable: total - online,
    },
    confirm: null,
    rolledBackTo: null,
    runId: null,
  }
}
