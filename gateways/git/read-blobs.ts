import { invalid } from '../../domain/errors.ts'
import { checkTreePath } from '../../domain/git/tree-path.ts'
import { maxFiles } from '../../domain/workspaces/configuration-files.ts'

/** What a configuration may have when it is sent as a body, too. */
export const maxReadBytes = 10 * 1_048_576
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
 * The contents of listed files. Their number is checked before anything is read, and their size while it
 * arrives: an attacker may have chosen a repository of any size.
 */
export async function readBlobs(
  listed: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
  { one, many }: BlobReader,
): Promise<Record<string, string>> {
  if (listed.size > maxFiles)
    throw tooLarge(`${listed.size} files, and a configuration has ${maxFiles} at most`)
  for (const path of listed.keys()) checkTreePath(path)
  const missing = new Map([...listed].filter(([, blob]) => !known.has(blob)))
  const enough = known.size === 0 ? minByArchive.first : minByArchive.later
  const bulk = many && missing.size >= enough ? await many(missing) : undefined
  const read: BlobReader['one'] = async (path, blob) => bulk?.get(blob) ?? one(path, blob)
  const files: Record<string, string> = {}
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let bytes = 0
  const take = async ([path, blob]: [string, string]) => {
    const content = known.get(blob) ?? textOf(decoder, path, await read(path, blob))
    // Gone is what is no file: a submodule's place in the tree.
    if (content === undefined) return
    bytes += Buffer.byteLength(content)
    if (bytes > maxReadBytes) throw moreThanIsRead()
    files[path] = content
  }
  const entries = [...listed]
  for (let from = 0; from < entries.length; from += atOnce)
    await Promise.all(entries.slice(from, from + atOnce).map(take))
  return files
}

export const moreThanIsRead = () => tooLarge('more than 10 MiB')

function textOf(decoder: TextDecoder, path: string, content: Uint8Array | null) {
  if (content === null) return undefined
  try {
    return decoder.decode(content)
  } catch {
    throw invalid(
      `${path} is no text (UTF-8), and a configuration is made of text alone. Move it out of the workspace's folder.`,
      [{ path: 'source', message: `${path} is no UTF-8 text` }],
      'git_source_not_text',
    )
  }
}

const tooLarge = (what: string) =>
  invalid(
    `The folder has ${what}. Let the workspace's path name a smaller one.`,
    [{ path: 'path', message: `has ${what}` }],
    'git_source_too_large',
  )
