import fs from 'node:fs'
import * as git from 'isomorphic-git'
import type { HttpClient } from 'isomorphic-git'
import { conflict } from '../../domain/errors.ts'
import { submoduleId } from '../../domain/git/blob-id.ts'
import { unsafeTreePath } from '../../domain/git/tree-path.ts'
import { headMoved } from './head-moved.ts'
import { maxEntries } from './snapshot-protocol.ts'

/** A fetched commit, within the process that has its bytes. */
export type FetchedSnapshot = {
  fs: typeof fs
  gitdir: string
  http: HttpClient
  /** The library's, of this folder: without it each object is a read and a check of the whole pack. */
  cache: object
  commit: string | null
}

/** The library does not know the host. The part of the address after it names what is requested. */
export const remoteUrl = 'https://remote.invalid'

const maxPathBytes = 16 * 1_048_576
/** The longest path of a file on Linux (PATH_MAX). */
const maxPathLength = 4_096

/** Fetches one commit of a branch into an empty folder. */
export async function fetchSnapshot(
  http: HttpClient,
  { gitdir, branch, commit }: { gitdir: string; branch: string; commit: string | null },
): Promise<FetchedSnapshot> {
  const cache = {}
  await git.init({ fs, gitdir, dir: gitdir, bare: true, defaultBranch: branch })
  if (commit !== null) {
    await git.addRemote({ fs, gitdir, remote: 'origin', url: remoteUrl })
    const { fetchHead } = await git.fetch({
      fs,
      http,
      gitdir,
      cache,
      remote: 'origin',
      ref: branch,
      singleBranch: true,
      depth: 1,
      tags: false,
    })
    if (fetchHead !== commit) throw headMoved()
  }
  return { fs, gitdir, http, cache, commit }
}

/** git's library names the entry alone, without the folder that it is in. */
export const nameTreePath = (error: unknown, prefix: string): unknown =>
  error instanceof git.Errors.UnsafeFilepathError
    ? unsafeTreePath(`${prefix}${error.data.filepath}`)
    : error

/**
 * Path → blob id of all files below a folder. Entries are counted, because a tree may have the same folder
 * under many names, so that a few trees make more paths than memory holds (a "git bomb").
 */
export async function filesBelow(
  { gitdir, cache, commit }: FetchedSnapshot,
  folder: string,
  most = maxEntries,
): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  if (commit === null) return files
  let [entries, pathBytes] = [0, 0]
  /** A tree may have one subtree under thousands of names, and the library reads it anew for each. */
  const read = new Map<string, ReturnType<typeof git.readTree>>()
  const treeOf = async (oid: string, prefix: string) => {
    const tree = read.get(oid) ?? git.readTree({ fs, gitdir, cache, oid })
    read.set(oid, tree)
    return tree.catch((error: unknown) => {
      throw nameTreePath(error, prefix)
    })
  }
  const walk = async (oid: string, prefix: string): Promise<void> => {
    const { tree } = await treeOf(oid, prefix)
    for (const entry of tree) {
      const path = `${prefix}${entry.path}`
      entries += 1
      pathBytes += path.length
      if (entries > most || pathBytes > maxPathBytes)
        throw conflict('git_repository_too_large', 'The folder has too many files to be read.')
      if (path.length > maxPathLength)
        throw conflict('git_repository_too_large', 'The folder has a path that is too long.')
      if (entry.type === 'tree') await walk(entry.oid, `${path}/`)
      else files.set(path, entry.type === 'commit' ? submoduleId(entry.oid) : entry.oid)
    }
  }
  let [oid, prefix] = [commit, '']
  for (const name of folder.split('/').filter(Boolean)) {
    const { tree } = await treeOf(oid, prefix)
    const found = tree.find(({ path, type }) => path === name && type === 'tree')
    if (!found) return files
    oid = found.oid
    prefix += `${name}/`
  }
  await walk(oid, prefix)
  return files
}

export async function blobIn(
  { gitdir, cache }: FetchedSnapshot,
  oid: string,
): Promise<Uint8Array | null> {
  try {
    return (await git.readBlob({ fs, gitdir, cache, oid })).blob
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError) return null
    throw error
  }
}
