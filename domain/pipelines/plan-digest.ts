import { createHash } from 'node:crypto'

/** Hashes of the parts are SHA-256, in hexadecimal: they are made while the parts are streamed. */
export type PlanDigestParts = {
  planFileSha256: string
  configurationSha256: string
  lockFileSha256: string | undefined
  /** Of the archive of what was fetched of modules; undefined where nothing was. */
  modulesSha256: string | undefined
  engineVersion: string
  stateLineage: string | null
  stateSerial: number | null
  /** Keyed hash over all variables and overrides that the plan was made with. */
  variablesMac: string
}

/**
 * What an approval is bound to (docs/runs.md, "Digest"). Each part is hashed by itself and joined
 * with its name, so that two different plans never give the same text to hash.
 */
export function planDigest(parts: PlanDigestParts): string {
  const lines = [
    `plan ${parts.planFileSha256}`,
    `configuration ${parts.configurationSha256}`,
    `lock ${parts.lockFileSha256 ?? 'none'}`,
    `engine ${parts.engineVersion}`,
    `lineage ${parts.stateLineage ?? 'none'}`,
    `serial ${parts.stateSerial ?? 'none'}`,
    `variables ${parts.variablesMac}`,
    // Raised when plans are read by stricter rules: one that was made before ends stale, it is not applied unread.
    'reader 2',
    // Absent, not "none": a plan that waited for its approval before modules were kept has the digest of then.
    ...(parts.modulesSha256 === undefined ? [] : [`modules ${parts.modulesSha256}`]),
  ]
  return `sha256:${createHash('sha256').update(lines.join('\n')).digest('hex')}`
}
