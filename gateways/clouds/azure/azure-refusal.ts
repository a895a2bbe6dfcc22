import type { AppError } from '../../../domain/errors.ts'
import { CloudFault } from '../cloud-fault.ts'
import { outboundFault } from '../outbound-fault.ts'

/** What Azure's answer to a call that needs the right `action` means. */
export function azureFault(error: unknown, action: string): CloudFault | AppError {
  const ours = outboundFault('Azure', error)
  if (ours) return ours
  const { code, message, status } = partsOf(error)
  if (code === 'InvalidAuthenticationTokenTenant')
    return new CloudFault('credentials', otherTenant(message))
  const signIn = /AADSTS(\d{4,8})/.exec(message)?.[1]
  if (signIn !== undefined || status === 401)
    return new CloudFault('credentials', signInReason(signIn))
  if (status === 429)
    return new CloudFault('throttled', `Azure limits how often ${action} may be called.`)
  if (gone.has(code)) return new CloudFault('credentials', goneReason)
  if (status === 403) {
    const named = /perform action '([A-Za-z][A-Za-z./*]{1,150})'/.exec(message)?.[1]
    const right = named ?? action
    return new CloudFault('denied', `The credentials lack the right ${right}.`, [right])
  }
  if (/skiptoken/i.test(code) || (status === 400 && /skip ?token/i.test(message)))
    return new CloudFault('page_token', 'Azure no longer accepts the page token.')
  const told = /^[A-Za-z]{1,80}$/.test(code) ? ` (${code})` : ''
  return new CloudFault('unreachable', `Azure did not answer ${action} as it should${told}.`)
}

const gone = new Set(['SubscriptionNotFound', 'InvalidSubscriptionId', 'SubscriptionDisabled'])
const goneReason =
  'Azure has no such subscription for these credentials. Check the id, whether it was deleted or disabled, and the role of the application in it.'

/** "It must match the tenant 'https://sts.windows.net/<uuid>/' associated with this subscription." */
function otherTenant(message: string): string {
  const owner = /must match [^']{0,60}'https:\/\/[a-z.]{1,60}\/([0-9a-f-]{36})\/?'/i.exec(
    message,
  )?.[1]
  const whose = owner === undefined ? 'another tenant' : `tenant ${owner}`
  return `The subscription belongs to ${whose}, and the credentials do not. Check accountId, or connect it with an application of that tenant.`
}

/** Microsoft Entra's error codes (AADSTS…). */
function signInReason(code: string | undefined): string {
  return (code && signInReasons[code]) || 'Azure rejects the credentials. Check tenant and client.'
}

const wrongApplication =
  'Azure does not know the application in this tenant. Check tenantId and clientId.'
const wrongFederation =
  "The application has no federated credential for this account. Check its issuer, subject and audience against the organization's."
const signInReasons: Readonly<Record<string, string>> = {
  '7000215': 'The client secret is wrong. Give the value of the secret, not its id.',
  '7000222': 'The client secret has expired. Make a new one.',
  '700016': wrongApplication,
  '700213': wrongFederation,
  '700211': wrongFederation,
  '70021': wrongFederation,
  '700212': wrongFederation,
  '90002': 'Azure knows no such tenant. Check tenantId.',
  '900023': 'Azure knows no such tenant. Check tenantId.',
  '7000112': 'The application is disabled in this tenant. Enable it.',
  '50034': wrongApplication,
}

/** A RestError of the SDK, or an AuthenticationError. Their messages repeat what was sent, so none is passed on. */
function partsOf(error: unknown): { code: string; message: string; status: number } {
  if (!(error instanceof Error)) return { code: '', message: '', status: 0 }
  const { code, statusCode } = error as Error & { code?: unknown; statusCode?: unknown }
  return {
    code: typeof code === 'string' ? code : '',
    message: error.message,
    status: typeof statusCode === 'number' ? statusCode : 0,
  }
}
