import { maxProbeFailures } from '../../domain/pipelines/deployment.ts'
import { AppError } from '../../domain/errors.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import { deployments, type DeploymentRow } from '../../store/deployments/deployments.ts'
import type { Store } from '../../store/driver/connect.ts'
import { sayOfDeployment } from './say-of-deployment.ts'

const timeoutMs = 5_000

/**
 * Asks the address of `health.probe` once, and notes whether it answered as the manifest says. Who wrote the manifest
 * chose the address, so the rules of outgoing requests hold, and nothing of the answer is shown but that.
 */
export async function askProbe(
  { store, outbound }: { store: Store; outbound: Outbound },
  organizationId: number,
  { pipelineRunId, probe, probeAskedAt, probeFailures }: DeploymentRow,
): Promise<void> {
  if (!probe) return
  const isGood = (await statusOf(outbound, probe.url)) === probe.status
  await store.tenant(organizationId, async (tenant) => {
    const noted = await deployments(tenant).noteProbe(pipelineRunId, {
      askedBefore: probeAskedAt,
      isGood,
    })
    if (!noted || isGood) return
    const { origin, pathname } = new URL(probe.url)
    await sayOfDeployment(tenant, pipelineRunId, {
      level: 'warn',
      lines: [
        `${origin}${pathname} did not answer ${probe.status}: ${probeFailures + 1} of ${maxProbeFailures} in a row.`,
      ],
    })
  })
}

/** Undefined without an answer. */
async function statusOf(outbound: Outbound, url: string): Promise<number | undefined> {
  try {
    const { status, body } = await outbound.stream(url, {
      use: 'probe',
      timeoutMs,
      maxRedirects: 0,
    })
    body.destroy()
    return status
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
