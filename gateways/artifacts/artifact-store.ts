import type { Readable } from 'node:stream'

/** `sha256:<64 digits>`: of the bytes as they are stored. */
export type ArtifactDigest = string

export type StoredArtifact = { digest: ArtifactDigest; sizeBytes: number }

export type ArtifactStore = {
  /**
   * Keeps what the stream has, under its digest. The same bytes again change nothing. Throws
   * `artifact_too_large` past the limit, `artifact_store_full` and `artifact_store_unavailable`.
   */
  put(
    organizationId: number,
    bytes: AsyncIterable<Buffer>,
    options: { maxBytes: number; signal?: AbortSignal },
  ): Promise<StoredArtifact>
  /**
   * Undefined if it is not kept. The stream fails at its end with `artifact_damaged` if the bytes are
   * other ones, so whoever reads it uses nothing before its end.
   */
  read(
    organizationId: number,
    digest: ArtifactDigest,
  ): Promise<{ sizeBytes: number; stream: Readable } | undefined>
  /** Idempotent. */
  remove(organizationId: number, digest: ArtifactDigest): Promise<void>
}
