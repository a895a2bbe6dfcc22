import type { CloudDeps, CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'

/** An account whose calls all go to one local port. */
export function cloudTarget(
  url: string,
  more: Pick<CloudTarget, 'provider' | 'accountId' | 'credentials'> & Partial<CloudTarget>,
): CloudTarget {
  return {
    externalId: 'external-id-of-the-organization',
    regions: null,
    endpoints: { identity: url, resources: url, storage: url, warehouse: url },
    billing: null,
    runs: null,
    ...more,
  }
}

/** The real outgoing calls, with these ports of this machine opened as an operator would. */
export function cloudDeps(ports: readonly number[], more: Partial<CloudDeps> = {}): CloudDeps {
  const opened = ports.flatMap((port) =>
    (['cloud', 'billing'] as const).map((use) => ({ use, host: '127.0.0.1', port })),
  )
  return {
    outbound: createOutbound({ privateHosts: opened }),
    webIdentity: async (audience) => `token.for.${audience}`,
    runIdentity: async (audience, phase) => `${phase}.token.for.${audience}`,
    awsIdentity: 'none',
    ...more,
  }
}
