import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { organizationTokensQuery } from '../api/queries.ts'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Scroller } from '../parts/scroller.tsx'
import { Time } from '../parts/time.tsx'

/** All API tokens of the organization, whoever made them: for whoever manages people. */
export function OrganizationTokens() {
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(organizationTokensQuery)
  const revoke = useMutation({
    mutationFn: (id: number) => call('revokeToken', { params: { id } }),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['tokens'] }),
  })
  const tokens = query.data?.pages.flatMap((page) => page.tokens) ?? []
  return (
    <section className="section" aria-labelledby="all-tokens">
      <h2 id="all-tokens">Everybody’s tokens</h2>
      <ErrorNote error={query.error ?? revoke.error} />
      {query.isPending && <Loading what="tokens of the organization" />}
      {query.isSuccess && tokens.length === 0 && <p className="dim quiet-line">Nobody has any.</p>}
      {tokens.length > 0 && (
        <Scroller label="Tokens of everybody in the organization">
          <table>
            <thead>
              <tr>
                <th scope="col">Token</th>
                <th scope="col">Whose</th>
                <th scope="col">Role</th>
                <th scope="col">Last used</th>
                <th scope="col">Ends</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {tokens.map((token) => (
                <tr key={token.id}>
                  <th scope="row">
                    {token.name}
                    <span className="row-sub">
                      <code>{token.prefix}…</code>
                    </span>
                  </th>
                  <td>{token.user.email ?? token.user.name}</td>
                  <td>{token.role}</td>
                  <td className="dim">
                    {token.lastUsedAt ? <Time at={token.lastUsedAt} /> : 'never'}
                  </td>
                  <td className="dim">
                    <Time at={token.expiresAt} />
                  </td>
                  <td>
                    <span className="table-actions">
                      <Button
                        aria-label={`Revoke ${token.name} of ${token.user.name}`}
                        busy={revoke.isPending && revoke.variables === token.id}
                        onClick={() =>
                          confirm(`Revoke ${token.name}? What uses it stops working.`) &&
                          revoke.mutate(token.id)
                        }
                      >
                        Revoke
                      </Button>
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
      <LoadMore query={query} />
    </section>
  )
}
