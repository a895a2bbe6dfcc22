import type { Readable } from 'node:stream'
import { invalid } from '../../domain/errors.ts'

/** `sha256:<64 digits>`: of the bytes as they are stored. */
export type ArtifactDigest = string

export type StoredArtifact = { digest: ArtifactDigest; sizeBytes: number }

export type PutOptions = {
  maxBytes: number
  signal?: AbortSignal
  /**
   * Called with the digest, once all bytes were taken and before they get their place. Where it throws,
   * nothing is kept: a digest that is just being removed must not be put beside it.
   */
  claim?: (digest: ArtifactDigest) => Promise<void>
}

/** Both ends are part of it, as in RFC 9110. */
export type ByteRange = { first: number; last: number }

export type ArtifactStore = {
  /**
   * Keeps what the stream has, under its digest. The same bytes again change nothing. Throws
   * `artifact_too_large` past the limit, `artifact_store_full` and `artifact_store_unavailable`.
   */
  put(
    organizationId: number,
    bytes: AsyncIterable<Buffer>,
    options: PutOptions,
  ): Promise<StoredArtifact>
  /** The same of a file, which is moved where the store is on its disk, and is gone afterwards. Nobody may write to it. */
  putFile(organizationId: number, path: string, options: PutOptions): Promise<StoredArtifact>
  /**
   * Undefined if it is not kept. The stream fails with `artifact_damaged` before its last bytes if they are
   * other ones, so nobody gets all of it. A range is read of a file that was checked as a whole, here before
   * or lately, and has not changed since.
   */
  read(
    organizationId: number,
    digest: ArtifactDigest,
    range?: ByteRange,
  ): Promise<{ sizeBytes: number; stream: Readable } | undefined>
  /** Idempotent. */
  remove(organizationId: number, digest: ArtifactDigest): Promise<void>
  /** A small text by which processes find out if they share the store. */
  writeProbe(name: string, text: string): Promise<void>
  readProbe(name: string): Promise<string | undefined>
  removeProbe(name: string): Promise<void>
  /** Removes what processes that were killed left half written; answers how much. */
  removeParts(): Promise<number>
}

/** The place of an artifact, in a folder and in a bucket alike. */
export function keyOfArtifact(organizationId: number, digest: ArtifactDigest): string {
  const [, hex = ''] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? []
  // Both become a path.
  if (hex === '' || !Number.isSafeInteger(organizationId))
    throw invalid('This is no digest of an artifact.')
  return `${organizationId}/sha256/${hex.slice(0, 2)}/${hex}`
}

/** The same for a probe. */
export function keyOfProbe(name: string): string {
  if (!/^[a-z0-9-]{1,80}$/.test(name)) throw invalid('This is no name of a probe.')
  return `probes/${name}`
}
