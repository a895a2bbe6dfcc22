import { conflict } from '../../domain/errors.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  followersOf,
  holdFollowers,
  type Followers,
} from '../../store/git/followers-of-defaults.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'

const maxTries = 5

/**
 * A transaction that holds what follows a connection's defaults, and then the connection itself. What began to follow
 * it between these two locks is held by another try: otherwise a change would not be noted for it. Nothing begins to
 * follow a connection whose row is held.
 */
export async function holdingFollowed<T>(
  { store }: Pick<Deps, 'store'>,
  { organizationId, id }: { organizationId: number; id: number },
  work: (tenant: Tenant, held: { followers: Followers; connection: GitConnection }) => Promise<T>,
): Promise<T> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const done = await store.tenant(organizationId, async (tenant) => {
      const followers = await holdFollowers(tenant, id)
      const connection = await gitConnections(tenant).getForUpdate(id)
      if (!isSame(followers, await followersOf(tenant, id))) return undefined
      return { value: await work(tenant, { followers, connection }) }
    })
    if (done) return done.value
  }
  throw conflict(
    'git_source_moved',
    'Workspaces or pipelines began to follow this connection while it was changed. Try again.',
  )
}

const isSame = (held: Followers, now: Followers): boolean =>
  JSON.stringify(held) === JSON.stringify(now)
