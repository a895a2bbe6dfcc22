import { assembleFiles, type SourceFiles } from '../../../domain/workspaces/assemble-files.ts'
import type { ConfigurationFiles } from '../../../domain/workspaces/configuration-files.ts'
import type { KnownSource, ReadSource } from '../../../gateways/git/read-source.ts'

/** The texts of what was read, with those of an earlier version where they were known. */
export const textsOf = (source: SourceFiles, earlier?: ConfigurationFiles): ConfigurationFiles =>
  JSON.parse(assembleFiles(earlier, source, 'a'.repeat(40)).text.toString())

/** What a workspace knows after a first read. */
export const knownOf = (
  read: Pick<ReadSource, 'commit' | 'files'> | undefined,
  current: boolean,
): KnownSource => ({
  commitSha: read?.commit ?? null,
  names: [...(read?.files.listed.keys() ?? [])],
  blobs: [...(read?.files.listed.values() ?? [])],
  current,
})
