import { signArtifact } from '../../../activities/pipelines/sign-artifact.ts'
import type { Deps } from '../../../api/deps.ts'
import { claimBytes } from '../../../app/artifacts/claim-bytes.ts'
import { sealBuilt } from '../../../app/artifacts/seal-built.ts'
import { unwrap, type Tenant } from '../../../store/driver/tenant.ts'
import { artifacts, type NewArtifact } from '../../../store/runs/artifacts.ts'

/** What the steps of a build leave in the store, without the bytes; signed, so the run goes on as it does then. */
export async function keepArtifact(
  deps: Pick<Deps, 'store' | 'keyring'>,
  organizationId: number,
  {
    runId,
    digest,
    sign = true,
    hasSbom = false,
  }: { runId: number; digest: `sha256:${string}`; sign?: boolean; hasSbom?: boolean },
): Promise<void> {
  await claimBytes(deps.store, organizationId)(digest)
  await deps.store.tenant(organizationId, async (tenant) => {
    const artifact = { digest, contentDigest: digest, sizeBytes: 10, entries: 1 }
    const built = await sealedOf(deps, tenant, { runId, artifact })
    await artifacts(tenant).add(runId, { ...artifact, built })
    const document = hasSbom ? digest : null
    await artifacts(tenant).describe(runId, { spdxDigest: document, cyclonedxDigest: document })
  })
  if (sign) await signArtifact({ ...deps, publicOrigin: 'https://control.example' })({ runId })
}

/** As a build seals it, of the commit and the manifest that the run has noted. */
export async function sealedOf(
  { keyring }: Pick<Deps, 'keyring'>,
  tenant: Tenant,
  { runId, artifact }: { runId: number; artifact: NewArtifact },
): Promise<Buffer> {
  const { organizationId } = tenant
  const [run] = await unwrap(tenant)
    .db('application_runs')
    .where({ organizationId, pipelineRunId: runId })
    .select('commitSha', 'manifestSha256')
  return sealBuilt(
    keyring,
    { organizationId, runId },
    {
      ...artifact,
      ...run,
      repository: 'https://git.example/acme/app',
      branch: 'main',
      path: '',
      variables: [],
    },
  )
}
