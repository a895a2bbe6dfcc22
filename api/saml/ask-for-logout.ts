import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { newSecret } from '../../domain/access/credentials.ts'
import { logoutRequest, type NameId } from '../../domain/saml/logout-messages.ts'
import { newMessageId } from '../../domain/saml/new-message-id.ts'
import { spAddresses } from '../../domain/saml/sp-addresses.ts'
import { samlConfigurations, type SamlBinding } from '../../store/saml/saml-configurations.ts'
import { samlRequests } from '../../store/saml/saml-requests.ts'
import { samlSessions, type SamlPrincipalOfSession } from '../../store/saml/saml-sessions.ts'
import type { Deps } from '../deps.ts'
import { findSpKey, signedMessage, type Onward, type SpKey } from './signed-message.ts'

export type LogoutQuestion = {
  id: string
  state: string
  issuer: string
  destination: string
  binding: SamlBinding | null
  principal: SamlPrincipalOfSession
  key: SpKey
}

/**
 * Stores the logout request for the identity provider, in the transaction that ends the session.
 * Undefined if there is no `sloUrl` or no signing key.
 */
export async function noteLogoutQuestion(
  tenant: Tenant,
  { organizationSlug, credentialId, userId }: Caller,
  origin: string,
): Promise<LogoutQuestion | undefined> {
  const principal = await samlSessions(tenant).principalOf(credentialId)
  if (!principal) return undefined
  const configuration = await samlConfigurations(tenant).find()
  const key = await findSpKey(tenant)
  if (!configuration?.enabled || !configuration.sloUrl || !key) return undefined
  const id = newMessageId()
  const state = newSecret().plain
  const { nameId, sessionIndex } = principal
  await samlRequests(tenant).create({
    id,
    kind: 'logout',
    relayState: state,
    userId,
    nameId,
    ...(sessionIndex !== null && { sessionIndex }),
  })
  return {
    id,
    state,
    issuer: spAddresses(origin, organizationSlug).entityId,
    destination: configuration.sloUrl,
    binding: configuration.sloBinding,
    principal,
    key,
  }
}

/** The signed request: as an address to redirect to, or as a form that submits itself. */
export function logoutQuestion(deps: Deps, question: LogoutQuestion): Onward {
  const { id, state, issuer, destination, binding, principal, key } = question
  const nameId: NameId = {
    value: principal.nameId,
    format: principal.nameIdFormat,
    nameQualifier: principal.nameQualifier,
    spNameQualifier: principal.spNameQualifier,
  }
  const { sessionIndex } = principal
  const xml = logoutRequest({ id, issuer, destination, now: new Date() }, { nameId, sessionIndex })
  const message = { kind: 'SAMLRequest' as const, xml, destination, relayState: state }
  return signedMessage(deps, key, { ...message, binding })
}
