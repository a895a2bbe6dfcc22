import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { planRelease, type ReleasePlan } from '../../domain/pipelines/release-plan.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { releases } from '../../store/runs/releases.ts'

/**
 * The labels that a host of the deployment must have, by its manifest, of a deployment that began before labels were
 * stored with it (migration 0160). They are stored then: to check a manifest takes up to 31 ms.
 */
export async function labelsOfManifest(
  tenant: Tenant,
  runId: number,
): Promise<ReleasePlan['labels']> {
  const { manifest } = await releases(tenant).get(runId)
  const { labels } = planRelease(checkManifest(manifest ?? '').manifest?.deploy)
  await deployments(tenant).noteLabels(runId, labels)
  return labels
}
