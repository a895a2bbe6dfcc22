/** `protected`: made by builds of the pipeline's own branch. `other`: by those of all other branches. */
export type CacheScope = 'protected' | 'other'

/**
 * Which caches a build reads, first the better one, and which it writes. Whoever may push to some branch
 * could otherwise plant files into the builds of the branch that is released. A build of a tag or of a
 * commit may be released too, wherever it points, so it reads only what the own branch made and writes
 * nothing. Other branches share theirs, so what the own branch made is better there too.
 */
export function cacheScopes(
  { branch, tag }: { branch: string | null; tag: string | null },
  ownBranch: string | null,
): { read: readonly CacheScope[]; write: CacheScope | null } {
  if (tag !== null || branch === null) return { read: ['protected'], write: null }
  if (branch === ownBranch) return { read: ['protected'], write: 'protected' }
  return { read: ['protected', 'other'], write: 'other' }
}

/** Of all caches of one pipeline; the oldest make room. */
export const maxCacheBytes = 2 * 1024 ** 3
