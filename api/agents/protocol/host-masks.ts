import { deployVariables } from '../../../app/agents/hook-environment.ts'
import type { MaskTexts, TextMasker } from '../../../gateways/masking/mask-texts.ts'
import { hostWork } from '../../../store/agents/host-work.ts'
import { releaseOfDeployment } from '../../../store/agents/release-of-deployment.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import type { Deps } from '../../deps.ts'

/** Deployments whose masks are kept: those under way, of which each host sends a batch a second. */
const maxKept = 10

export type HostMasks = (
  organizationId: number,
  host: { deploymentId: number; agentId: number },
) => Promise<MaskTexts>

/**
 * The masks of what a deployment's hosts print: its sensitive variables, and those of the release that it goes
 * back to. The agent masks them too; this is for an agent that does not. A deployment's variables do not
 * change, so they are opened once.
 */
export function hostMasks(
  { store, keyring }: Pick<Deps, 'store' | 'keyring'>,
  masker: TextMasker,
): HostMasks {
  const kept = new Map<number, Promise<MaskTexts | undefined>>()

  const secretsOf = async (tenant: Tenant, deploymentId: number): Promise<string[]> => {
    const release = await releaseOfDeployment(tenant, deploymentId)
    return release
      ? deployVariables(keyring, tenant.organizationId, release)
          .filter(({ sensitive }) => sensitive)
          .map(({ value }) => value)
      : []
  }
  const load = async (
    organizationId: number,
    { deploymentId, agentId }: { deploymentId: number; agentId: number },
  ) =>
    store.tenant(organizationId, async (tenant) => {
      const work = await hostWork(tenant).find(deploymentId, agentId)
      if (!work) return undefined
      const runs = [deploymentId, ...(work.earlierRunId === null ? [] : [work.earlierRunId])]
      const secrets: string[] = []
      for (const runId of runs) secrets.push(...(await secretsOf(tenant, runId)))
      return masker.by(secrets, { organizationId, key: runs.join() })
    })

  return async (organizationId, host) => {
    const { deploymentId } = host
    const known = await kept.get(deploymentId)
    if (known) return known
    // Batches that come together wait for one mask.
    const loading = load(organizationId, host)
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value ?? 0)
    kept.set(deploymentId, loading)
    const mask = await loading.catch((error: unknown) => {
      kept.delete(deploymentId)
      throw error
    })
    if (mask) return mask
    // Nothing of a deployment that is not this host's is kept.
    kept.delete(deploymentId)
    return masker.by([], { organizationId, key: '' })
  }
}
