import { createHash } from 'node:crypto'

export type PlanDigestParts = {
  planFile: Buffer
  configurationSha256: string
  lockFile: Buffer | null
  /** The archive of what was fetched of modules; null where nothing was. */
  modules: Buffer | null
  engineVersion: string
  stateLineage: string | null
  stateSerial: number | null
  /** Keyed hash over all variables and overrides that the plan was made with. */
  variablesMac: string
}

/**
 * What an approval is bound to (runs.md, Digest). Each part is hashed by itself and
 * the parts are joined with their names, so that no two different plans can be
 * told as the same sequence of bytes.
 */
export function planDigest(parts: PlanDigestParts): string {
  const sha256 = (value: string | Buffer) => createHash('sha256').update(value).digest('hex')
  const lines = [
    `plan ${sha256(parts.planFile)}`,
    `configuration ${parts.configurationSha256}`,
    `lock ${parts.lockFile ? sha256(parts.lockFile) : 'none'}`,
    `engine ${parts.engineVersion}`,
    `lineage ${parts.stateLineage ?? 'none'}`,
    `serial ${parts.stateSerial ?? 'none'}`,
    `variables ${parts.variablesMac}`,
    // Raised when plans are read by stricter rules: one that was made before ends stale, it is not applied unread.
    'reader 2',
    // Absent, not "none": a plan that waited for its approval before modules were kept has the digest of then.
    ...(parts.modules ? [`modules ${sha256(parts.modules)}`] : []),
  ]
  return `sha256:${sha256(lines.join('\n'))}`
}
