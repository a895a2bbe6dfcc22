import type { Place, Readable } from '../../../domain/clouds/cloud-account.ts'
import { CloudFault } from '../cloud-fault.ts'
import { allowsAction, readableBy, readsAll } from './allowed-actions.ts'
import type { AzureSession } from './azure-session.ts'
import { rolesOf } from './check-account.ts'

export const graphRight = 'Microsoft.ResourceGraph/resources/read'

/**
 * Resource Graph refuses nobody: it leaves out what may not be read. Only the list of rights tells.
 * Returns what each role may read; undefined where one reads every type.
 */
export async function checkRights(
  session: AzureSession,
  signal: AbortSignal | undefined,
): Promise<Readable[] | undefined> {
  const permissions = await rolesOf(session, signal)
  if (!allowsAction(permissions, graphRight))
    throw new CloudFault('denied', `The credentials lack the right ${graphRight}.`, [graphRight])
  return readsAll(permissions) ? undefined : readableBy(permissions)
}

/**
 * Throws where the credentials may read less than when the place was noted. Resource Graph then leaves resources out
 * without a word, and they would count as gone.
 */
export async function checkStillReads(
  session: AzureSession,
  { readable: noted }: Place,
  signal: AbortSignal | undefined,
): Promise<void> {
  const now = await checkRights(session, signal)
  if (!now) return
  // A role that differs counts as taken, for which of two patterns allows more is not decided here.
  const held = new Set(now.map(keyOf))
  if (!noted?.every((role) => held.has(keyOf(role)))) throw new CloudFault('changed', narrowed)
}

/** Azure gives no order, and compares without regard to case. */
function keyOf({ allowed, denied }: Readable): string {
  const inOrder = (patterns: string[]) =>
    [...new Set(patterns.map((pattern) => pattern.toLowerCase()))].toSorted()
  return JSON.stringify([inOrder(allowed), inOrder(denied)])
}

const narrowed =
  'The roles of the identity changed during the sync, and it may read fewer types of resources. The next sync lists what it may read.'
