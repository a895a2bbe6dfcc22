import { blobId } from '../git/blob-id.ts'
import { configurationSha256, type ConfigurationFiles } from './configuration-files.ts'
import { hasLocalModules } from './local-modules.ts'

/** Files as a version of a configuration stores them. */
export type PreparedFiles = {
  /** The files as JSON: an object of texts by name. */
  text: string | Buffer
  sha256: string
  /** In order. */
  names: string[]
  /** The git blob id of each of them. */
  blobs: string[]
  sizeBytes: number
  /** All modules that they call are part of them. */
  localModules: boolean
}

/** `commit` of files that were read from Git: it is part of their hash. */
export function prepareFiles(files: ConfigurationFiles, commit?: string): PreparedFiles {
  const names = Object.keys(files).toSorted()
  return {
    text: JSON.stringify(files),
    sha256: configurationSha256(files, commit),
    names,
    blobs: names.map((name) => blobId(files[name] ?? '')),
    sizeBytes: Object.values(files).reduce((sum, file) => sum + Buffer.byteLength(file), 0),
    localModules: hasLocalModules(files),
  }
}
