import type { Caller } from '../../domain/access/caller.ts'
import type { GitRepository } from '../../gateways/git/git-host.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'
import { decodeCursor } from '../http/paging.ts'
import { askingProvider } from './asking-provider.ts'
import { openHost } from '../../app/git/open-host.ts'

/** A search may match nothing on many of the provider's pages; one answer reads at most so many. */
const maxPages = 10

/** The provider's repositories, page by page; `nextCursor` is the provider's next page. */
export async function listRepositories(
  deps: Deps,
  { organizationId }: Caller,
  { id, q, cursor }: { id: number; q: string | undefined; cursor: string | undefined },
): Promise<{ repos: GitRepository[]; nextCursor: string | null }> {
  const connection = await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).get(id),
  )
  const host = openHost(deps, organizationId, connection)
  let page: number | null = Math.max(1, decodeCursor(cursor, 1))
  let repos: GitRepository[] = []
  for (let tries = 0; page !== null && repos.length === 0 && tries < maxPages; tries += 1) {
    const asked: number = page
    const answer = await askingProvider(async () =>
      host.repositories({ q, page: asked, near: connection.defaultRepo }),
    )
    repos = answer.repos
    page = answer.nextPage
  }
  return { repos, nextCursor: page === null ? null : String(page) }
}
