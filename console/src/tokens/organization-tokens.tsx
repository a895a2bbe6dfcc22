import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { organizationTokensQuery } from './queries.ts'
import { useMe } from '../app/session.ts'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { TokenTable } from './token-table.tsx'

/** The API tokens of everybody else in the organization, for people with `manage_users_sso`. */
export function OrganizationTokens() {
  const query = useInfiniteQuery(organizationTokensQuery)
  const me = useMe()
  // One's own are in the table above.
  const tokens = (query.data?.pages.flatMap((page) => page.tokens) ?? []).filter(
    ({ user }) => user.id !== me.user.id,
  )
  return (
    <section className="section" aria-labelledby="all-tokens">
      <h2 id="all-tokens">Tokens of other people</h2>
      <ErrorNote error={query.error} />
      {query.isPending && <Loading what="tokens of the organization" />}
      {query.isSuccess && tokens.length === 0 && (
        <p className="dim quiet-line">
          Nobody else has an API token. Each person creates their own on this page.
        </p>
      )}
      <TokenTable
        label="Tokens of everybody else in the organization"
        tokens={tokens}
        whose={{ title: 'Whose', render: ({ user }) => user.email ?? user.name }}
        nameOf={({ name, user }) => `${name} of ${user.name}`}
        revoke={(id) => call('revokeToken', { params: { id } })}
      />
      <LoadMore query={query} />
    </section>
  )
}
