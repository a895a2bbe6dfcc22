import type { GoogleCredentials } from '../../../domain/clouds/cloud-account.ts'
import type { CloudDeps } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'

export const cloudPlatform = 'https://www.googleapis.com/auth/cloud-platform'

type Post = (request: {
  url: string
  data: URLSearchParams | object
  headers?: Record<string, string>
}) => Promise<unknown>

/**
 * A token of the organization's issuer in exchange for one of Google's (RFC 8693), then, where a service account
 * is named, for one of that account. The library's `IdentityPoolClient` does the same, but makes the exchange
 * over sockets of its own, past the address check, whatever `fetch` it is given.
 */
export async function exchangeToken(
  credentials: Exclude<GoogleCredentials, { serviceAccountKey: string }>,
  deps: CloudDeps,
  post: Post,
): Promise<{ access_token: string; expiry_date: number }> {
  const { workloadIdentityProvider, serviceAccountEmail } = credentials
  const name = workloadIdentityProvider.replace(/^(?:https:)?\/\/iam\.googleapis\.com\//, '')
  const audience = `//iam.googleapis.com/${name}`
  const federated = await post({
    url: 'https://sts.googleapis.com/v1/token',
    data: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience,
      scope: cloudPlatform,
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      subject_token: await deps.webIdentity(audience),
    }),
  })
  const token = textIn(federated, 'access_token')
  // Never longer than the hour that Google gives at most.
  const seconds = Math.min(3_600, Number(fieldIn(federated, 'expires_in')) || 300)
  if (serviceAccountEmail === undefined)
    return { access_token: token, expiry_date: Date.now() + seconds * 1_000 }

  return impersonate(serviceAccountEmail, token, post)
}

/** A token of this service account, by one of an identity that may make it. */
export async function impersonate(
  serviceAccountEmail: string,
  token: string,
  post: Post,
): Promise<{ access_token: string; expiry_date: number }> {
  const account = encodeURIComponent(serviceAccountEmail)
  const lent = await post({
    url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${account}:generateAccessToken`,
    data: { scope: [cloudPlatform] },
    headers: { authorization: `Bearer ${token}` },
  })
  const endsAtMs = Date.parse(textIn(lent, 'expireTime')) || Date.now() + 300_000
  return { access_token: textIn(lent, 'accessToken'), expiry_date: endsAtMs }
}

const fieldIn = (answer: unknown, name: string): unknown =>
  typeof answer === 'object' && answer !== null
    ? Object.entries(answer).find(([key]) => key === name)?.[1]
    : undefined

function textIn(answer: unknown, name: string): string {
  const value = fieldIn(answer, name)
  if (typeof value === 'string' && value !== '') return value
  throw new CloudFault('unreachable', 'Google sent a token that cannot be read.')
}
