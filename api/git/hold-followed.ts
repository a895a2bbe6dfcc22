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
 * follow a connection whose row is held: what makes it do so locks that row too.
 */
export async function holdingFollowed<T>(
  { store }: Pick<Deps, 'store'>,
  { organizationId, id, insists = false }: Held,
  work: (tenant: Tenant, held: { followers: Followers; connection: GitConnection }) => Promise<T>,
): Promise<T> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const done = await store.tenant(organizationId, async (tenant) => {
      const followers = await holdFollowers(tenant, id)
      const connection = await gitConnections(tenant).getForUpdate(id)
      const isLast = insists && tries === maxTries
      if (!isLast && !isSame(followers, await followersOf(tenant, id))) return undefined
      return { value: await work(tenant, { followers, connection }) }
    })
    if (done) return done.value
  }
  throw conflict(
    'git_source_moved',
    'Workspaces or pipelines began to follow this connection while it was changed. Try again.',
  )
}

type Held = {
  organizationId: number
  id: number
  /** An undoing must not be refused: at last it notes the change for those that it holds. */
  insists?: boolean
}

const isSame = (held: Followers, now: Followers): boolean =>
  JSON.stringify(held) === JSON.stringify(now)
