import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { sessionsQuery } from '../api/queries.ts'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Scroller } from '../parts/scroller.tsx'
import { Time } from '../parts/time.tsx'
import { deviceOf } from '../parts/device-of.ts'

/** Where one is signed in, and signing out there. */
export function AccountSessions() {
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(sessionsQuery)
  const end = useMutation({
    mutationFn: (id: number) => call('endMySession', { params: { id } }),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const sessions = query.data?.pages.flatMap((page) => page.sessions) ?? []
  return (
    <section className="section" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Where you are signed in</h2>
      <ErrorNote error={query.error ?? end.error} />
      {query.isPending && <Loading what="your sessions" />}
      {sessions.length > 0 && (
        <Scroller label="Your sessions">
          <table>
            <thead>
              <tr>
                <th scope="col">Device</th>
                <th scope="col">Address</th>
                <th scope="col">Signed in</th>
                <th scope="col">Last seen</th>
                <th scope="col">Ends</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sessions.map((session) => {
                const device = deviceOf(session.userAgent)
                return (
                  <tr key={session.id}>
                    <th scope="row" title={session.userAgent ?? undefined}>
                      {device}
                      {session.current && <span className="tag good">this one</span>}
                      {session.kind === 'saml' && <span className="tag">single sign-on</span>}
                    </th>
                    <td>{session.ip ?? '–'}</td>
                    <td className="dim">
                      <Time at={session.createdAt} />
                    </td>
                    <td className="dim">
                      <Time at={session.lastSeenAt} />
                    </td>
                    <td className="dim">
                      <Time at={session.expiresAt} />
                    </td>
                    <td>
                      {!session.current && (
                        <span className="table-actions">
                          <Button
                            aria-label={`Sign out ${device}, ${session.ip ?? ''}`}
                            busy={end.isPending && end.variables === session.id}
                            onClick={() => end.mutate(session.id)}
                          >
                            Sign out there
                          </Button>
                        </span>
                      )}
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </Scroller>
      )}
      <LoadMore query={query} />
    </section>
  )
}
