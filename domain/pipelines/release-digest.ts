import { createHash } from 'node:crypto'
import type { Strategy } from '../manifest/resolve-strategy.ts'

export type ReleaseDigestParts = {
  /** SHA-256 of the stored artifact, in hexadecimal. */
  artifactSha256: string
  /** SHA-256 of the manifest's bytes, in hexadecimal. */
  manifestSha256: string
  commitSha: string
  /** With all that its definition leaves out, so that a new default is another release. */
  strategy: Strategy
  targetWorkspaceId: number | null
  /** Keyed hash over the variables of the deployment. */
  variablesMac: string
  isRollback: boolean
}

/** What an approval of a deployment is bound to, and what an approver is shown as `planDigest`. */
export const releaseDigest = (parts: ReleaseDigestParts): string =>
  `sha256:${createHash('sha256').update(releaseText(parts)).digest('hex')}`

/**
 * The bytes that are hashed: one line for each part, with its name, so that two different releases never
 * give the same text. No part can break its line: JSON escapes what would.
 */
export function releaseText(parts: ReleaseDigestParts): string {
  const lines: Array<[string, unknown]> = [
    ['artifact', parts.artifactSha256],
    ['manifest', parts.manifestSha256],
    ['commit', parts.commitSha],
    ['strategy', inOrder(parts.strategy)],
    ['target', parts.targetWorkspaceId],
    ['variables', parts.variablesMac],
    ['rollback', parts.isRollback],
  ]
  return ['release 1', ...lines.map(([name, value]) => `${name} ${JSON.stringify(value)}`)].join(
    '\n',
  )
}

/** Keys sorted, at each level, so that the order in which an object was made does not count. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, inOrder(part)]),
  )
}
