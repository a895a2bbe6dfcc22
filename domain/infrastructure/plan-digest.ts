import { createHash } from 'node:crypto'

/** Hashes of the parts: SHA-256 in hexadecimal, computed while the parts are streamed. */
export type PlanDigestParts = {
  planFileSha256: string
  configurationSha256: string
  lockFileSha256: string | undefined
  /** The archive of the fetched modules; undefined if there were none. */
  modulesSha256: string | undefined
  engineVersion: string
  stateLineage: string | null
  stateSerial: number | null
  /** Keyed hash over all variables and overrides that the plan was made with. */
  variablesMac: string
  /** The workspace's path, in which OpenTofu works; empty for the top of the files. */
  folder: string
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
    // Raised when plans are read by stricter rules, so that an older plan is stale and not applied unread.
    'reader 5',
    // Omitted rather than "none", so that the digests of plans from before modules were stored stay valid.
    ...(parts.modulesSha256 === undefined ? [] : [`modules ${parts.modulesSha256}`]),
    // Omitted for the top, so that the digests of plans from before this line stay valid there.
    ...(parts.folder === '' ? [] : [`folder ${JSON.stringify(parts.folder)}`]),
  ]
  return `sha256:${createHash('sha256').update(lines.join('\n')).digest('hex')}`
}
