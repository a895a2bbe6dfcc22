import { isSubmodule } from '../../domain/git/blob-id.ts'
import {
  maxSourceBytes,
  moreThanIsRead,
  sourceTooLarge,
} from '../../domain/git/source-too-large.ts'
import { checkTreePath } from '../../domain/git/tree-path.ts'
import type { SourceFiles } from '../../domain/workspaces/assemble-files.ts'
import { maxFiles } from '../../domain/workspaces/configuration-files.ts'

const atOnce = 8
/**
 * From so many missing files on they are read by one archive of the whole repository. A first read
 * is rare and should cost few calls; after a push a few single files are less than an archive.
 */
const minByArchive = { first: 4, later: 50 }

export type BlobReader = {
  one: (path: string, blob: string) => Promise<Uint8Array | null>
  /** Path → blob id of many files: the contents by blob id that one answer of the host has. The rest is read one by one. */
  many?: (missing: ReadonlyMap<string, string>) => Promise<ReadonlyMap<string, Uint8Array>>
}

/**
 * Listed files, and the contents of those that are not known. Their number is checked before anything is read, and
 * their size while it arrives: an attacker may have chosen a repository of any size.
 */
export async function readBlobs(
  all: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
  { one, many }: BlobReader,
): Promise<SourceFiles> {
  if (all.size > maxFiles)
    throw sourceTooLarge(`${all.size} files, and a configuration has ${maxFiles} at most`)
  const listed = new Map([...all].filter(([, blob]) => !isSubmodule(blob)))
  for (const path of listed.keys()) checkTreePath(path)
  const missing = new Map([...listed].filter(([, blob]) => !known.has(blob)))
  const enough = known.size === 0 ? minByArchive.first : minByArchive.later
  const bulk = many && missing.size >= enough ? await many(missing) : undefined
  const files = { listed, contents: new Map<string, Uint8Array>() }
  let bytes = 0
  const take = async ([path, blob]: [string, string]) => {
    const content = files.contents.get(blob) ?? bulk?.get(blob) ?? (await one(path, blob))
    // No file any more.
    if (!content) return files.listed.delete(path)
    bytes += content.length
    if (bytes > maxSourceBytes) throw moreThanIsRead()
    return files.contents.set(blob, content)
  }
  const entries = [...missing]
  for (let from = 0; from < entries.length; from += atOnce)
    await Promise.all(entries.slice(from, from + atOnce).map(take))
  return files
}
