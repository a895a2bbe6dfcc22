import { AppError } from '../../domain/errors.ts'

/** The weak ETag of a resource (RFC 7644 3.14). */
export const versionTag = (version: string): string => `W/"${version}"`

/** Optimistic locking: of two clients that change what both have read, the second gets 412. */
export function assertVersion(ifMatch: string | undefined, version: string): void {
  if (ifMatch === undefined || names(ifMatch, version)) return
  throw new AppError(
    'precondition_failed',
    'It has changed since: read it again, and send the version that it has now.',
  )
}

/** Whether the client of a GET has this version already, and needs no more than 304. */
export const hasVersion = (ifNoneMatch: string | undefined, version: string): boolean =>
  ifNoneMatch !== undefined && names(ifNoneMatch, version)

/** Compares weakly (RFC 9110 8.8.3.2), so `"1"` is `W/"1"`: connectors drop the prefix. */
const names = (tags: string, version: string): boolean =>
  tags.trim() === '*' ||
  tags
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .includes(`"${version}"`)
