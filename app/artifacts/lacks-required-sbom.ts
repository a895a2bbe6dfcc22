import type { Tenant } from '../../store/driver/tenant.ts'
import type { Pipeline } from '../../store/pipelines/pipelines.ts'
import { artifacts } from '../../store/runs/artifacts.ts'

/**
 * Whether the pipeline requires a bill of materials, and what it would deploy has none. The build asks by the setting
 * of the pipeline that built it: by a promotion another pipeline deploys it, and a setting may change later.
 */
export async function lacksRequiredSbom(
  tenant: Tenant,
  { pipeline, artifactRunId }: { pipeline: Pick<Pipeline, 'sbom'>; artifactRunId: number },
): Promise<boolean> {
  if (pipeline.sbom !== 'required') return false
  const artifact = await artifacts(tenant).find(artifactRunId)
  return !artifact?.spdxDigest && !artifact?.cyclonedxDigest
}
