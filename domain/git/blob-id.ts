import { createHash } from 'node:crypto'

/** What a list of files has for a submodule: it is no file, and its id may be any. */
export const submoduleId = (commit: string): string => `submodule ${commit}`
export const isSubmodule = (id: string): boolean => id.startsWith('submodule ')

/** The id that git gives to a file's content (gitformat-object): what every provider lists. */
export function blobId(content: string): string {
  const bytes = Buffer.from(content)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
