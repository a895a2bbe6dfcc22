import type { Readable } from '../../domain/clouds/cloud-account.ts'

/** Patterns of roles as patterns of `like`, in lower case. */
export const asLikes = (roles: readonly Readable[]): Readable[] => eachOf(roles, asLike)

/** The same back again. */
export const fromLikes = (roles: readonly Readable[]): Readable[] => eachOf(roles, fromLike)

const eachOf = (roles: readonly Readable[], change: (pattern: string) => string): Readable[] =>
  roles.map(({ allowed, denied }) => ({ allowed: allowed.map(change), denied: denied.map(change) }))

const asLike = (pattern: string): string =>
  pattern
    .toLowerCase()
    .replaceAll(/[\\%_]/g, String.raw`\$&`)
    .replaceAll('*', '%')

const fromLike = (like: string): string =>
  like.replaceAll(/\\(.)|%/g, (_, escaped?: string) => escaped ?? '*')
