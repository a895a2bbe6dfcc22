import type { AuthClient } from 'google-auth-library'
import type { GoogleCredentials } from '../../../domain/clouds/cloud-account.ts'
import type { CloudDeps } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { cloudPlatform, exchangeToken } from './exchange-token.ts'

/** The account's key, or a token of the organization's issuer in exchange (RFC 8693). Nothing of this machine. */
export async function googleCredentials(
  credentials: GoogleCredentials,
  deps: CloudDeps,
  fetchImplementation: typeof globalThis.fetch,
): Promise<AuthClient> {
  const { JWT, OAuth2Client } = await import('google-auth-library')
  const transporterOptions = { fetchImplementation }
  if ('serviceAccountKey' in credentials) {
    const { email, key } = readKey(credentials.serviceAccountKey)
    return new JWT({ email, key, scopes: [cloudPlatform], transporterOptions })
  }
  const client = new OAuth2Client({ transporterOptions })
  client.refreshHandler = async () =>
    exchangeToken(credentials, deps, async (request) => {
      const { data } = await client.transporter.request<unknown>({ ...request, method: 'POST' })
      return data
    })
  return client
}

/** Only the two fields of the key that sign: its addresses would say where the signed token is sent. */
function readKey(text: string): { email: string; key: string } {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    parsed = undefined
  }
  const field = (name: string): string => {
    const value: unknown =
      typeof parsed === 'object' && parsed !== null
        ? Object.entries(parsed).find(([key]) => key === name)?.[1]
        : undefined
    return typeof value === 'string' ? value : ''
  }
  const email = field('client_email')
  const key = field('private_key')
  if (email === '' || key === '')
    throw new CloudFault(
      'credentials',
      'The service account key is no key file of Google: client_email and private_key are missing.',
    )
  return { email, key }
}
