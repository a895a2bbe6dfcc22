import type { AppError } from '../../../domain/errors.ts'
import { CloudFault, type CloudFaultKind } from '../cloud-fault.ts'
import { outboundFault } from '../outbound-fault.ts'

/** What AWS's answer to `action` (`tag:GetResources`) means. An address that is not allowed stays an AppError. */
export function awsFault(error: unknown, action: string): CloudFault | AppError {
  const ours = outboundFault('AWS', error)
  if (ours) return ours

  const { name, message, status } = partsOf(error)
  const kind = kindOf(name, status)
  if (kind === 'denied') return denial(message, action)
  if (kind === 'credentials')
    return new CloudFault(kind, credentialReasons[name] ?? 'AWS rejects the credentials.')
  if (kind === 'throttled')
    return new CloudFault(kind, `AWS limits how often ${action} may be called. Try again later.`)
  if (kind === 'excluded')
    return new CloudFault(kind, 'This region is switched off for the account.')
  if (kind === 'page_token') return new CloudFault(kind, pageToken)
  return new CloudFault('unreachable', `AWS did not answer ${action} as it should${told(name)}.`)
}

/** A service control policy is the organization's own decision, so its denial is no fault of the account. */
function denial(message: string, action: string): CloudFault {
  const named = /not authorized to perform:? ([a-z0-9-]{1,60}:[A-Za-z]{1,80})/.exec(message)?.[1]
  // Some compatible services name it as the signature does.
  const right = (named ?? action).replace(/^tagging:/, 'tag:')
  return /(service|resource) control policy/i.test(message)
    ? new CloudFault('excluded', `A service control policy denies ${right}.`, [right])
    : new CloudFault('denied', `The credentials lack the right ${right}.`, [right])
}

function kindOf(name: string, status: number): CloudFaultKind {
  const known = kinds.get(name)
  if (known) return known
  if (status === 429 || /throttl/i.test(name)) return 'throttled'
  return status === 403 && name === '' ? 'denied' : 'unreachable'
}

/** Without the ending `Exception`, which the services and the SDK add as they like. */
const kinds = new Map<string, CloudFaultKind>([
  ...namesOf('denied', 'AccessDenied UnauthorizedOperation AuthorizationError Unauthorized'),
  ...namesOf('denied', 'NotAuthorized AllAccessDisabled AWSOrganizationsNotInUse'),
  ...namesOf('throttled', 'TooManyRequests RequestLimitExceeded SlowDown LimitExceeded'),
  ...namesOf('throttled', 'BandwidthLimitExceeded PriorRequestNotComplete'),
  ...namesOf('excluded', 'RegionDisabled'),
  ...namesOf('page_token', 'PaginationTokenExpired'),
  ...namesOf('credentials', 'InvalidClientTokenId UnrecognizedClient AuthFailure InvalidToken'),
  ...namesOf('credentials', 'InvalidAccessKeyId SignatureDoesNotMatch InvalidSignature'),
  ...namesOf('credentials', 'ExpiredToken TokenRefreshRequired IncompleteSignature'),
  ...namesOf('credentials', 'MissingAuthenticationToken RequestExpired RequestTimeTooSkewed'),
  ...namesOf('credentials', 'InvalidIdentityToken IDPRejectedClaim IDPCommunicationError'),
  // Of an account that is suspended or not activated. In a region that is off, see aws-inventory.ts.
  ...namesOf('credentials', 'OptInRequired NotSignedUp AccountProblem Blocked PendingVerification'),
  // Of STS alone, about the name of a role; the other services end it with Exception.
  ...namesOf('credentials', 'ValidationError'),
])

function namesOf(kind: CloudFaultKind, names: string): Array<[string, CloudFaultKind]> {
  return names.split(' ').map((name) => [name, kind])
}

const unknownKey =
  'AWS does not know the access key. Check it, or whether it was deactivated or deleted.'
const wrongSecret = 'AWS rejects the signature. The secret key does not belong to the access key.'
const expired = 'The credentials have expired. Replace them.'
const clock = 'AWS rejects the time of the request. Check the clock of this service.'
const issuer =
  "AWS does not accept the organization's issuer. Check the identity provider in IAM, its audience, and that AWS can reach the issuer."
const suspended =
  'AWS serves no requests of this account: it is suspended or not activated. Settle that with AWS; it is asked again by itself.'
const credentialReasons: Readonly<Record<string, string>> = {
  InvalidClientTokenId: unknownKey,
  InvalidAccessKeyId: unknownKey,
  UnrecognizedClient: unknownKey,
  SignatureDoesNotMatch: wrongSecret,
  InvalidSignature: wrongSecret,
  ExpiredToken: expired,
  TokenRefreshRequired: expired,
  RequestExpired: clock,
  RequestTimeTooSkewed: clock,
  InvalidIdentityToken: issuer,
  IDPRejectedClaim: issuer,
  IDPCommunicationError: issuer,
  OptInRequired: suspended,
  NotSignedUp: suspended,
  AccountProblem: suspended,
  Blocked: suspended,
  PendingVerification: suspended,
  ValidationError: 'AWS does not accept the name of the role. Check its ARN.',
}

const pageToken =
  'AWS no longer accepts the page token, so the list is not complete. The next sync begins it anew.'

const told = (name: string): string => (name === '' ? '' : ` (${name})`)

/** The SDK's error carries AWS's code as its name. Only the shape of a code is let through. */
function partsOf(error: unknown): { name: string; message: string; status: number } {
  if (!(error instanceof Error)) return { name: '', message: '', status: 0 }
  const metadata = '$metadata' in error ? error.$metadata : undefined
  const status =
    typeof metadata === 'object' && metadata && 'httpStatusCode' in metadata
      ? Number(metadata.httpStatusCode)
      : 0
  const bare = error.name.replace(/Exception$/, '')
  const name = /^[A-Za-z]{1,80}$/.test(bare) && bare !== 'Error' ? bare : ''
  return { name, message: error.message, status }
}
