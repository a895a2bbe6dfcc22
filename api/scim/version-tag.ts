import { AppError } from '../../domain/errors.ts'

/** The weak ETag of a resource (RFC 7644 3.14), from the number of its changes. */
export const versionTag = (rowVersion: number): string => `W/"${rowVersion}"`

/** Optimistic locking: of two clients that change what both have read, the second gets 412. */
export function assertVersion(ifMatch: string | undefined, rowVersion: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const wanted = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (wanted.includes(`"${rowVersion}"`)) return
  throw new AppError(
    'precondition_failed',
    'It has changed since: read it again, and send the version that it has now.',
  )
}
