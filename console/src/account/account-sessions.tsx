import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { sessionsQuery } from './queries.ts'
import { useMe } from '../app/session.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { deviceOf } from '../parts/device-of.ts'

/** The sessions of the signed-in person, with a button that ends one. */
export function AccountSessions() {
  const { auth } = useMe()
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
      <DataTable
        label="Your sessions"
        rows={sessions}
        columns={[
          {
            title: 'Device',
            render: ({ userAgent, current, kind }) => (
              <span title={userAgent ?? undefined}>
                {deviceOf(userAgent)}
                {current && <span className="tag good">this one</span>}
                {kind === 'saml' && <span className="tag">single sign-on</span>}
              </span>
            ),
          },
          { title: 'Address', render: ({ ip }) => ip ?? '–' },
          { title: 'Signed in', look: 'dim', render: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Last seen', look: 'dim', render: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
          { title: 'Ends', look: 'dim', render: ({ expiresAt }) => <Time at={expiresAt} /> },
          auth.mayChangeCredentials && {
            title: 'Actions',
            look: 'actions',
            render: ({ id, current, userAgent, ip }) =>
              !current && (
                <Button
                  aria-label={`Sign out ${deviceOf(userAgent)}, ${ip ?? ''}`}
                  busy={end.isPending && end.variables === id}
                  onClick={() => end.mutate(id)}
                >
                  Sign out there
                </Button>
              ),
          },
        ]}
      />
      <LoadMore query={query} />
    </section>
  )
}
