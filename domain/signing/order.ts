import type { KeyObject } from 'node:crypto'
import type { ReleasePlan } from '../pipelines/release-plan.ts'
import { signEnvelope, verifyEnvelope, type Envelope } from './dsse.ts'

/**
 * What hosts are to run for one deployment. The provenance says which bytes the organization built; this says
 * which of their files are hooks, with what limits, names of variables and values that are no secret.
 */
export type ReleaseOrder = {
  /** The organization's public id. */
  organization: string
  workspaceId: number
  /** The run of the deployment. */
  runId: number
  digest: string
  contentDigest: string
  strategy: string
  hooks: ReleasePlan['hooks']
  keep: number
  env: ReadonlyArray<{ key: string; value: string }>
  /** Names of sealed variables: their values are authenticated where they are sealed. */
  variables: readonly string[]
}

const payloadType = 'application/vnd.cloud-control.order+json'
const statementType = 'cloud-control.order.v1'

export const signOrder = (
  order: ReleaseOrder,
  signer: { keyId: string; privateKey: KeyObject },
): Envelope =>
  signEnvelope(payloadType, Buffer.from(JSON.stringify({ type: statementType, ...order })), signer)

/** The order, if one of these keys has signed it. Its parts have any shape: the reader checks each. */
export function readOrder(
  envelope: unknown,
  keys: ReadonlyMap<string, KeyObject>,
): Record<string, unknown> | undefined {
  if ((envelope as { payloadType?: unknown } | null)?.payloadType !== payloadType) return undefined
  for (const key of keys.values()) {
    const payload = verifyEnvelope(envelope, key)
    if (!payload) continue
    // Signed by us, so it is what `signOrder` wrote, of this version or another.
    const said = JSON.parse(payload.toString()) as Record<string, unknown>
    return said['type'] === statementType ? said : undefined
  }
  return undefined
}
