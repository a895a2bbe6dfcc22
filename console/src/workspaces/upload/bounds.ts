/** As the API has them (docs/limits.md): a configuration has at most this many bytes and files. */
export const maxBytes = 10 * 1_048_576
export const maxFiles = 1_000

export const tooLarge = () => new Error('The files are larger than 10 MiB together.')
export const tooMany = () => new Error('There are more than 1,000 files.')
export const unreadable = () =>
  new Error('This archive cannot be read. Use a .zip, .tar or .tar.gz file without a password.')

/** A file of an upload. `left`: why it is not among the files of the workspace. */
export type UploadedFile = { path: string; bytes: Uint8Array } | { path: string; left: string }
