import { createHash } from 'node:crypto'
import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { planRelease } from '../../domain/pipelines/release-plan.ts'
import { signOrder as sign } from '../../domain/signing/order.ts'
import { verifyProvenance } from '../../domain/signing/verify-provenance.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { releaseOfDeployment } from '../../store/agents/release-of-deployment.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { signedRelease } from '../../store/runs/signed-release.ts'
import { deployVariables, openEnvironment } from '../agents/hook-environment.ts'
import type { SigningKey } from '../signing/ensure-signing-key.ts'
import { publicKeysOf } from '../signing/published-keys.ts'

type Signing = { keyring: Keyring; key: Pick<SigningKey, 'keyId' | 'privateKey'> }

/**
 * Why a release may not be deployed: its artifact or its manifest is not what the organization signed after the
 * build. Who can write the database could otherwise have hosts run another manifest's hooks.
 */
export async function faultOfRelease(
  deps: { keyring: Keyring },
  tenant: Tenant,
  runId: number,
): Promise<string | undefined> {
  const release = await signedRelease(tenant, runId)
  if (!release) return 'the run has no artifact'
  const { provenance, digest, contentDigest, artifactRunId, organization, manifest } = release
  try {
    const keys = await publicKeysOf(deps, tenant)
    const signed = verifyProvenance({ bundle: provenance, keys, digest })
    const sha256 = createHash('sha256')
      .update(manifest ?? '')
      .digest('hex')
    if (signed.organization !== organization) return 'the provenance is of another organization'
    if (signed.runId !== artifactRunId) return 'the provenance is of another run'
    if (signed.contentDigest !== contentDigest) return 'the provenance is of other content'
    return signed.manifestSha256 === sha256 ? undefined : 'the provenance is of another manifest'
  } catch (error) {
    return error instanceof Error ? error.message : 'the provenance cannot be read'
  }
}

/**
 * Signs what the hosts of a deployment are to run, from the manifest that the signed provenance names. Once for
 * each deployment; nothing where `faultOfRelease` has one.
 */
export async function signOrder(
  { keyring, key }: Signing,
  tenant: Tenant,
  runId: number,
): Promise<void> {
  const [release, signed] = [
    await releaseOfDeployment(tenant, runId),
    await signedRelease(tenant, runId),
  ]
  if (!release || !signed || release.order !== null) return
  if ((await faultOfRelease({ keyring }, tenant, runId)) !== undefined) return
  const { hooks, keep } = planRelease(checkManifest(signed.manifest ?? '').manifest?.deploy)
  const variables = deployVariables(keyring, tenant.organizationId, release)
  const order = sign(
    {
      organization: signed.organization,
      workspaceId: release.workspaceId,
      runId,
      digest: signed.digest,
      contentDigest: signed.contentDigest,
      strategy: release.strategy.kind,
      hooks,
      // Hosts keep more while what a blue-green deployment replaced is held, and never fewer.
      keep: Math.max(keep, release.keep),
      env: openEnvironment(release),
      variables: variables.map(({ key: name }) => name),
    },
    key,
  )
  await deployments(tenant).noteOrder(runId, order)
}
