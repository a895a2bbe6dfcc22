import { maxSourceBytes } from '../../domain/git/source-too-large.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { GitSource } from './git-source.ts'
import { withSnapshot, type Remote } from './git-snapshot.ts'
import { readBlobs } from './read-blobs.ts'

/** Reads files by git itself, in two requests for any number of them: for hosts whose API tells no blobs. */
export const readBySnapshot =
  (outbound: Outbound, remoteOf: (name: string) => Remote): GitSource['readFiles'] =>
  async (name, { branch, commit, folders, known }) =>
    withSnapshot(outbound, remoteOf(name), {
      branch,
      commit,
      work: async (snapshot) => {
        const listed = new Map<string, string>()
        for (const folder of folders)
          for (const [path, blob] of await snapshot.files(folder)) listed.set(path, blob)
        return readBlobs(listed, known, {
          one: async (_path, oid) => snapshot.blob(oid, maxSourceBytes),
        })
      },
    })

const maxBlobBytes = 16 * 1_048_576

/**
 * Contents by blob id, out of one fetch of the branch. Without a success it gives none: its caller
 * reads them one by one, and meets there what is wrong with the host.
 */
export const blobsBySnapshot =
  (outbound: Outbound, remoteOf: (name: string) => Remote) =>
  async (
    name: string,
    at: { branch: string; commit: string },
    wanted: ReadonlyMap<string, string>,
  ): Promise<Map<string, Uint8Array>> => {
    const found = new Map<string, Uint8Array>()
    let left = maxBlobBytes
    try {
      await withSnapshot(outbound, remoteOf(name), {
        ...at,
        async work(snapshot) {
          for (const oid of new Set(wanted.values())) {
            const blob = await snapshot.blob(oid, left)
            left -= blob?.length ?? 0
            if (blob) found.set(oid, blob)
          }
        },
      })
    } catch {
      // See above. What was read before a blob that is over the bound is used.
    }
    return found
  }
