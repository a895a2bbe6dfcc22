import type { Keyring } from '../../gateways/keyring/keyring.ts'

/** What the worker that built an artifact knows of it, and what is signed of it later. */
export type BuiltArtifact = {
  digest: string
  contentDigest: string
  sizeBytes: number
  entries: number
  commitSha: string
  /** SHA-256 of the manifest that it was built by, in hexadecimal. */
  manifestSha256: string
  repository: string
  branch: string | null
  path: string
  /** Names of the variables that the build was given. */
  variables: readonly string[]
}

/** Of one run: what another run has built does not open here. */
const placeOfBuilt = (organizationId: number, runId: number) => ({
  organizationId,
  table: 'artifacts',
  column: `built of ${runId}`,
})

/**
 * Seals what was built for its signature: between the two it lies in the database, and who can write there would
 * otherwise have the organization sign bytes of their own.
 */
export const sealBuilt = (
  keyring: Keyring,
  { organizationId, runId }: { organizationId: number; runId: number },
  built: BuiltArtifact,
): Buffer => keyring.seal(placeOfBuilt(organizationId, runId), JSON.stringify(built))

/** Undefined if it was tampered with. Throws `keyring_unavailable` where the keyring lacks the key. */
export function openBuilt(
  keyring: Keyring,
  { organizationId, runId }: { organizationId: number; runId: number },
  sealed: Buffer | null,
): BuiltArtifact | undefined {
  if (sealed === null) return undefined
  keyring.assertKnows(sealed)
  try {
    const opened = keyring.open(placeOfBuilt(organizationId, runId), sealed)
    // Written by `sealBuilt`.
    return JSON.parse(opened.toString()) as BuiltArtifact
  } catch {
    return undefined
  }
}
