import type { AppError } from '../../../domain/errors.ts'
import { CloudFault } from '../cloud-fault.ts'
import { outboundFault } from '../outbound-fault.ts'

/** What Google's answer to a call that needs the right `action` means. */
export function googleFault(error: unknown, action: string): CloudFault | AppError {
  const ours = outboundFault('Google', error)
  if (ours) return ours
  const { status, code, text } = partsOf(error)
  if (tokenErrors.has(code) || status === 401)
    return new CloudFault('credentials', signInReason(code, text))
  if (status === 429)
    return new CloudFault('throttled', `Google limits how often ${action} may be called.`)
  if (/SERVICE_DISABLED|has not been used in project/.test(text))
    return new CloudFault('unreachable', `Google refused ${action}: its API is not enabled.`)
  if (/VPC_SERVICE_CONTROLS|ORG_RESTRICTION/.test(text))
    return new CloudFault('excluded', `A policy of the organization denies ${action}.`, [action])
  if (/iam\.serviceAccounts\.getAccessToken/.test(text))
    return new CloudFault('credentials', impersonation)
  if (status === 403) {
    const named = /[Pp]ermission '?([a-z]{1,60}(?:\.[A-Za-z]{1,60}){2,3})'?/.exec(text)?.[1]
    const right = named ?? action
    return new CloudFault('denied', `The credentials lack the right ${right}.`, [right])
  }
  if (status === 404) return new CloudFault('credentials', gone)
  if (status === 400 && /page ?token/i.test(text))
    return new CloudFault('page_token', 'Google no longer accepts the page token.')
  if (unusableKey(error))
    return new CloudFault('credentials', 'The private key of the service account cannot be read.')
  const told = status > 0 ? ` (${status})` : ''
  return new CloudFault('unreachable', `Google did not answer ${action} as it should${told}.`)
}

/** RFC 6749 5.2, and Google's own for an exchanged token. */
const tokenErrors = new Set([
  'invalid_grant',
  'invalid_client',
  'invalid_target',
  'invalid_request',
  'unauthorized_client',
  'access_denied',
])

const gone =
  'Google has no such project for these credentials. Check the id, and whether it was deleted.'
const impersonation =
  'The provider may not act as the service account. Give it roles/iam.workloadIdentityUser on it.'

function signInReason(code: string, text: string): string {
  if (code === 'invalid_grant' && /reasonable timeframe|\biat and exp\b/i.test(text))
    return 'Google rejects the time of the token. Check the clock of this service.'
  if (/deleted|not found|Invalid JWT Signature|account/i.test(text) && code === 'invalid_grant')
    return 'Google does not know the key of the service account. Make a new one.'
  if (code === 'invalid_target')
    return 'Google has no such workload identity provider, or it is disabled. Check its full name.'
  if (code === 'unauthorized_client')
    return "The provider refuses the subject. Check its attribute condition against the organization's subject."
  if (code === 'invalid_grant')
    return "The provider does not accept the organization's issuer. Check issuer, audience and subject, and that Google can reach it."
  return 'Google rejects the credentials.'
}

/** Node's own error for a key that is none. */
const unusableKey = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_OSSL')

/** A GaxiosError: its texts repeat what was sent, so they are read and not passed on. */
function partsOf(error: unknown): { status: number; code: string; text: string } {
  if (!(error instanceof Error)) return { status: 0, code: '', text: '' }
  const { response } = error as Error & { response?: { status?: unknown; data?: unknown } }
  const data = response?.data
  const inner = typeof data === 'object' && data !== null && 'error' in data ? data.error : ''
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
  return {
    status: typeof response?.status === 'number' ? response.status : 0,
    code: typeof inner === 'string' ? inner : '',
    text: `${error.message} ${text}`.slice(0, 20_000),
  }
}
