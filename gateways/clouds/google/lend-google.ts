import type { AuthClient } from 'google-auth-library'
import type { RunIdentity } from '../../../domain/clouds/check-runs.ts'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import type { CloudDeps, GoogleTarget, LendAsked, Lent } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { impersonate } from './exchange-token.ts'
import { googleCredentials } from './google-credentials.ts'
import { googleFetch } from './google-fetch.ts'
import { googleFault } from './google-refusal.ts'

type Lending = { deps: CloudDeps; kept: KeptOutbound }

/** An access token of the identity that runs have in this phase; Google gives them for an hour at most. */
export async function lendGoogle(
  target: GoogleTarget,
  lending: Lending,
  { phase }: LendAsked,
): Promise<Lent | undefined> {
  const identity = target.runs?.[phase]
  if (identity === undefined) return undefined
  try {
    const client = await clientFor(target, lending, { phase, identity })
    const { token } = await client.getAccessToken()
    if (!token) throw new CloudFault('credentials', 'Google gave no token for the run.')
    const endsAtMs = client.credentials.expiry_date ?? Date.now() + 300_000
    return { kind: 'gcp', accessToken: token, expiresAt: new Date(endsAtMs) }
  } catch (error) {
    throw googleFault(error, 'a token')
  }
}

async function clientFor(
  { credentials, endpoints }: GoogleTarget,
  { deps, kept }: Lending,
  { phase, identity }: { phase: LendAsked['phase']; identity: RunIdentity },
): Promise<AuthClient> {
  const fetch = googleFetch(kept, endpoints)
  if (identity === 'account' || !('serviceAccountEmail' in identity))
    return googleCredentials(credentials, deps, fetch)
  const { serviceAccountEmail } = identity
  if ('serviceAccountKey' in credentials) {
    // A key has no provider that could know a run's own token: its account makes the other's.
    const own = await googleCredentials(credentials, deps, fetch)
    const { OAuth2Client } = await import('google-auth-library')
    const client = new OAuth2Client({ transporterOptions: { fetchImplementation: fetch } })
    client.refreshHandler = async () => {
      const { token } = await own.getAccessToken()
      return impersonate(serviceAccountEmail, token ?? '', async (request) => {
        const { data } = await client.transporter.request<unknown>({ ...request, method: 'POST' })
        return data
      })
    }
    return client
  }
  const { workloadIdentityProvider } = credentials
  const asRun = {
    ...deps,
    webIdentity: async (audience: string) => deps.runIdentity(audience, phase),
  }
  return googleCredentials({ workloadIdentityProvider, serviceAccountEmail }, asRun, fetch)
}
