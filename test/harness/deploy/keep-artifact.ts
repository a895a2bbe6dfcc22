import { signArtifact } from '../../../activities/pipelines/sign-artifact.ts'
import type { Deps } from '../../../api/deps.ts'
import { claimBytes } from '../../../app/artifacts/claim-bytes.ts'
import { artifacts } from '../../../store/runs/artifacts.ts'

/** What the steps of a build leave in the store, without the bytes; signed, so the run goes on as it does then. */
export async function keepArtifact(
  deps: Pick<Deps, 'store' | 'keyring'>,
  organizationId: number,
  { runId, digest }: { runId: number; digest: `sha256:${string}` },
): Promise<void> {
  await claimBytes(deps.store, organizationId)(digest)
  await deps.store.tenant(organizationId, async (tenant) => {
    const artifact = { digest, contentDigest: digest, sizeBytes: 10, entries: 1 }
    await artifacts(tenant).add(runId, artifact)
    await artifacts(tenant).describe(runId, { spdxDigest: null, cyclonedxDigest: null })
  })
  await signArtifact({ ...deps, publicOrigin: 'https://control.example' })({ runId })
}
