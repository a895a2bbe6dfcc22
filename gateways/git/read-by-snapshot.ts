import * as git from 'isomorphic-git'
import type { Outbound } from '../outbound/outbound.ts'
import type { GitSource } from './git-source.ts'
import { withSnapshot, type Remote, type Snapshot } from './git-snapshot.ts'
import { asked } from './head-moved.ts'
import { readBlobs } from './read-blobs.ts'

/** Reads files by git itself, in two requests for any number of them: for hosts whose API tells no blobs. */
export const readBySnapshot =
  (outbound: Outbound, remoteOf: (name: string) => Remote): GitSource['readFiles'] =>
  async (name, { branch, commit, folders, known }) => {
    const remote = remoteOf(name)
    return asked(remote.provider, async () =>
      withSnapshot(outbound, remote, {
        branch,
        commit,
        work: async (snapshot) => {
          const listed = new Map<string, string>()
          for (const folder of folders)
            for (const [path, blob] of await snapshot.files(folder)) listed.set(path, blob)
          return readBlobs(listed, known, {
            one: async (_path, oid) => blobIn(snapshot, oid),
          })
        },
      }),
    )
  }

async function blobIn({ fs, gitdir }: Snapshot, oid: string): Promise<Uint8Array | null> {
  try {
    return (await git.readBlob({ fs, gitdir, oid })).blob
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError) return null
    throw error
  }
}
