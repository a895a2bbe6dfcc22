import { configurationSha256, type ConfigurationFiles } from './configuration-files.ts'
import { hasLocalModules } from './local-modules.ts'

/** Files as a version of a configuration stores them. */
export type PreparedFiles = {
  /** The files as JSON: an object of texts by name. */
  text: string | Buffer
  sha256: string
  /** In order. */
  names: string[]
  sizeBytes: number
  /** All modules that they call are part of them. */
  localModules: boolean
}

/** `commit` of files that were read from Git: it is part of their hash. */
export const prepareFiles = (files: ConfigurationFiles, commit?: string): PreparedFiles => ({
  text: JSON.stringify(files),
  sha256: configurationSha256(files, commit),
  names: Object.keys(files).toSorted(),
  sizeBytes: Object.values(files).reduce((sum, file) => sum + Buffer.byteLength(file), 0),
  localModules: hasLocalModules(files),
})
