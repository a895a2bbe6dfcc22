import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ssoQuery } from '../saml/queries.ts'
import { scimLogQuery } from './queries.ts'
import { Time } from '../parts/time.tsx'

const everyMs = 3_000

/** Whether an identity provider reaches this service: its newest request, as it comes. */
export function ScimTest() {
  const sso = useQuery({ ...ssoQuery, refetchInterval: everyMs })
  const log = useInfiniteQuery({ ...scimLogQuery(undefined), refetchInterval: everyMs })
  const tokens = sso.data?.scim.tokens ?? []
  const [newest] = tokens
    .filter(({ lastUsedAt }) => lastUsedAt !== null)
    .toSorted((one, other) => ((one.lastUsedAt ?? '') < (other.lastUsedAt ?? '') ? 1 : -1))
  const entry = log.data?.pages[0]?.entries[0]
  return (
    <div className="note quiet" role="status" aria-label="Test of provisioning">
      {tokens.length === 0 && <p>No test yet: create a token first.</p>}
      {tokens.length > 0 && !newest && (
        <p>Waiting for the first request. Test the connection at your identity provider.</p>
      )}
      {newest?.lastUsedAt && (
        <p>
          <strong>✓ Reached.</strong> Last request <Time at={newest.lastUsedAt} />, with the token{' '}
          <bdi>{newest.name}</bdi>.
        </p>
      )}
      {entry && (
        <p>
          Last change: <Time at={entry.at} />,{' '}
          {entry.outcome === 'success'
            ? `${entry.target ? `${entry.target.kind} ${entry.target.label}` : 'done'}.`
            : `refused${entry.detail ? `: ${entry.detail}` : '.'}`}
        </p>
      )}
    </div>
  )
}
