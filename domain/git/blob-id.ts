import { createHash } from 'node:crypto'

/** The id that git gives to a file's content (gitformat-object): what every provider lists. */
export function blobId(content: string): string {
  const bytes = Buffer.from(content)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
