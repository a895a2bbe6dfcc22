import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { spAddresses } from '../../domain/saml/sp-addresses.ts'
import { saml } from '../../store/platform/saml.ts'
import { samlConfigurations } from '../../store/saml/saml-configurations.ts'
import { samlSessions } from '../../store/saml/saml-sessions.ts'
import type { Deps } from '../deps.ts'
import { logoutQuestion } from './ask-for-logout.ts'
import type { SamlVisit } from './note-refusal.ts'
import { findSpKey, type Onward } from './signed-message.ts'

/**
 * The logout request for an identity provider that accepts forms alone. The state identifies it: 256
 * random bits that only the browser has, and that open nothing else.
 */
export async function sendLogoutForm(
  deps: Deps,
  query: string,
  { origin }: SamlVisit,
): Promise<Onward> {
  const state = /^state=([\w-]{43})$/.exec(query)?.[1]
  const request = state && (await saml(deps.store.platform).requestByState(state))
  if (!state || !request || request.kind !== 'logout') throw new SamlRefusal('request_unknown')
  // Answered already: a reload or the back button led here, and there is nothing left to send.
  if (request.taken) return { location: '/login' }
  const { id, organizationId, slug, userId, nameId, sessionIndex } = request
  const found = await deps.store.tenant(organizationId, async (tenant) => ({
    configuration: await samlConfigurations(tenant).find(),
    key: await findSpKey(tenant),
    principal: await samlSessions(tenant).latest({ userId, nameId, sessionIndex }),
  }))
  const { configuration, key, principal } = found
  if (!configuration?.sloUrl || !key || !principal) return { location: '/login?signedout=1' }
  return logoutQuestion(deps, {
    id,
    state,
    issuer: spAddresses(origin, slug).entityId,
    destination: configuration.sloUrl,
    binding: configuration.sloBinding,
    principal,
    key,
  })
}
