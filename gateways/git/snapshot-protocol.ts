import type { CommitRequest } from './git-host.ts'
import { BadFrame, type Frame } from '../runner/frames.ts'

export type Snapshot = {
  /** Path → blob id below a folder. */
  files(folder: string): Promise<Map<string, string>>
  /** Null if the repository has no such object. A larger one is an error. */
  blob(oid: string, maxBytes: number): Promise<Uint8Array | null>
  /** Pushes one commit on top of the fetched one, and returns its id. */
  push(request: CommitRequest): Promise<string>
}

/** The two services of git's smart HTTP (gitprotocol-http). */
export type GitService = 'git-upload-pack' | 'git-receive-pack'

/** What a snapshot's process is asked. A push is preceded by its `write` frames, each with a blob, and its `remove` frames. */
export type SnapshotAsk =
  | { kind: 'fetch'; gitdir: string; branch: string; commit: string | null }
  | { kind: 'files'; folder: string }
  | { kind: 'blob'; oid: string; maxBytes: number }
  | { kind: 'write'; path: string }
  | { kind: 'remove'; path: string }
  | { kind: 'push'; branch: string; expectedHead: string | null; message: string }

/** How many entries a folder may have, with those of the folders below it. */
export const maxEntries = 100_000

/** The bytes of a blob's frames, up to its end. */
export async function collectBlob(next: () => Promise<Frame>, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let length = 0; ;) {
    const { header, body } = await next()
    if (header.kind === 'blob_end') return Buffer.concat(pieces)
    if (header.kind !== 'blob') throw new BadFrame('A frame of another kind is within a blob')
    length += body.length
    if (length > maxBytes) throw new BadFrame('A blob is over its bound')
    // A copy: a frame's body can be a small part of the bytes that it keeps in memory.
    pieces.push(Buffer.from(body))
  }
}
