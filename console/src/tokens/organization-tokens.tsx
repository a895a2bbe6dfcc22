import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { organizationTokensQuery } from '../api/queries.ts'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { TokenTable } from './token-table.tsx'

/** All API tokens of the organization, for people with `manage_users_sso`. */
export function OrganizationTokens() {
  const query = useInfiniteQuery(organizationTokensQuery)
  const tokens = query.data?.pages.flatMap((page) => page.tokens) ?? []
  return (
    <section className="section" aria-labelledby="all-tokens">
      <h2 id="all-tokens">Everybody’s tokens</h2>
      <ErrorNote error={query.error} />
      {query.isPending && <Loading what="tokens of the organization" />}
      {query.isSuccess && tokens.length === 0 && <p className="dim quiet-line">No tokens.</p>}
      <TokenTable
        label="Tokens of everybody in the organization"
        tokens={tokens}
        whose={{ title: 'Whose', render: ({ user }) => user.email ?? user.name }}
        nameOf={({ name, user }) => `${name} of ${user.name}`}
        revoke={(id) => call('revokeToken', { params: { id } })}
      />
      <LoadMore query={query} />
    </section>
  )
}
