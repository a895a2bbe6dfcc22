/** The conditions of a save, as the request's headers have them (RFC 9110, 13.1.1 and 13.1.2). */
export type VersionPrecondition = { ifMatch?: string | undefined; ifNoneMatch?: string | undefined }

/** The entity tag of a configuration version: its number, which no other version of its workspace gets. */
export const entityTagOf = (number: number): string => `"${number}"`

/**
 * Whether a save may follow the newest version. Without it, the second of two people who edit the same files
 * would overwrite the first one's change without having seen it (lost update).
 */
export function meetsPrecondition(
  newest: number | undefined,
  { ifMatch, ifNoneMatch }: VersionPrecondition,
): boolean {
  if (ifMatch !== undefined && !names(ifMatch, newest)) return false
  return ifNoneMatch === undefined || !names(ifNoneMatch, newest)
}

/** `*` names any version. A weak tag names none: versions are compared byte by byte (8.8.3.2). */
function names(header: string, number: number | undefined): boolean {
  if (number === undefined) return false
  const tags = header.split(',').map((tag) => tag.trim())
  return tags.includes('*') || tags.includes(entityTagOf(number))
}
