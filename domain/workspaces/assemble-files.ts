import { isDeepStrictEqual } from 'node:util'
import { invalid } from '../errors.ts'
import { blobId } from '../git/blob-id.ts'
import { maxSourceBytes, moreThanIsRead } from '../git/source-too-large.ts'
import type { ConfigurationFiles } from './configuration-files.ts'
import { readFiles, type ReadFiles } from './read-configuration-body.ts'

/** Files of a commit, as a Git host lists them. */
export type SourceFiles = {
  /** Path → blob id. */
  listed: ReadonlyMap<string, string>
  /** Blob id → content, of those that were not known. */
  contents: ReadonlyMap<string, Uint8Array>
}

export type AssembledFiles = ReadFiles & {
  /** Whether the earlier version has the same files. */
  unchanged: boolean
}

/** Whether the list is of a version's own files. `blobs` are the ids of `names`; null where they were not noted. */
export const isListed = (
  listed: ReadonlyMap<string, string>,
  { names, blobs }: { names: readonly string[]; blobs: readonly string[] | null },
): boolean =>
  blobs !== null &&
  listed.size === names.length &&
  names.every((name, index) => listed.get(name) === blobs[index])

/** The listed files, with contents of the earlier version where nothing was fetched. They are of `commit`. */
export function assembleFiles(
  earlier: ConfigurationFiles | undefined,
  { listed, contents }: SourceFiles,
  commit: string,
): AssembledFiles {
  const known = new Map(Object.values(earlier ?? {}).map((text) => [blobId(text), text]))
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let bytes = 0
  const files = Object.fromEntries(
    [...listed].map(([path, blob]) => {
      const content = contents.get(blob)
      const text = content ? textOf(decoder, path, content) : known.get(blob)
      if (text === undefined) throw new Error(`the earlier version has no content of ${blob}`)
      bytes += content?.length ?? Buffer.byteLength(text)
      if (bytes > maxSourceBytes) throw moreThanIsRead()
      return [path, text]
    }),
  )
  return { ...readFiles(files, commit), unchanged: isDeepStrictEqual(files, earlier) }
}

/** The earlier version with other texts; null removes a file. */
export function changeFiles(
  earlier: ConfigurationFiles,
  changed: ReadonlyArray<readonly [name: string, text: string | null]>,
): ReadFiles {
  const files = new Map(Object.entries(earlier))
  for (const [name, text] of changed)
    if (text === null) files.delete(name)
    else files.set(name, text)
  return readFiles(Object.fromEntries(files))
}

function textOf(decoder: TextDecoder, path: string, content: Uint8Array): string {
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
