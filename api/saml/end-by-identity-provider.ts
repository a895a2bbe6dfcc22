import type { Tenant } from '../../store/driver/tenant.ts'
import { judgeLogoutMessage, logoutAgeMs } from '../../domain/saml/judge-logout-message.ts'
import { logoutResponse } from '../../domain/saml/logout-messages.ts'
import type { LogoutOutcome } from '../../domain/saml/logout-status.ts'
import { newMessageId } from '../../domain/saml/new-message-id.ts'
import type { LogoutRequest } from '../../domain/saml/read-logout-message.ts'
import type { ReceivedMessage } from '../../domain/saml/receive-logout-message.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { spAddresses } from '../../domain/saml/sp-addresses.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { saml, type LogoutParty } from '../../store/platform/saml.ts'
import { samlRequests } from '../../store/saml/saml-requests.ts'
import { samlSessions } from '../../store/saml/saml-sessions.ts'
import type { Deps } from '../deps.ts'
import { actorOfProvider, notingLogoutDenial, type SamlVisit } from './note-refusal.ts'
import { findSpKey, signedMessage, type Onward } from './signed-message.ts'

/**
 * The identity provider ends sessions. A logout message does not name an organization, and
 * organizations may share a provider: the candidates are all whose certificate verifies it.
 */
export async function endByIdentityProvider(
  deps: Deps,
  received: ReceivedMessage,
  visit: SamlVisit,
): Promise<Onward> {
  const parties = await saml(deps.store.platform).byIssuer(received.claimed.issuer)
  if (parties.length === 0) throw new SamlRefusal('issuer_unknown')
  const { message, owners } = await notingLogoutDenial(deps, parties, visit, () =>
    verify(received, parties, visit),
  )
  const ended: Ended[] = []
  let outcome: LogoutOutcome = 'success'
  for (const party of owners) {
    try {
      ended.push({ party, count: await endSessions(deps, { message, party, visit }) })
    } catch (error) {
      // A refusal is the message's own fault. Any other error may leave a session alive.
      if (error instanceof SamlRefusal || ended.length === 0) throw error
      deps.log.error({ err: error, organizationId: party.organizationId }, 'sessions not ended')
      outcome = 'partial'
    }
  }
  return answer(deps, { message, outcome, ended, received, visit })
}

type Ended = { party: LogoutParty; count: number }

function verify(received: ReceivedMessage, parties: readonly LogoutParty[], visit: SamlVisit) {
  const certificates = [...new Set(parties.flatMap((party) => party.certificates))]
  const { message, certificate } = received.verify(certificates)
  if (message.kind !== 'SAMLRequest') throw new SamlRefusal('message_type')
  // The parties were looked up by the unverified issuer.
  if (message.issuer !== received.claimed.issuer) throw new SamlRefusal('issuer')
  const { sloUrl } = spAddresses(visit.origin)
  judgeLogoutMessage(message, { sloUrl, now: new Date() })
  return { message, owners: parties.filter((party) => party.certificates.includes(certificate)) }
}

async function endSessions(
  deps: Deps,
  { message, party, visit }: { message: LogoutRequest; party: LogoutParty; visit: SamlVisit },
): Promise<number> {
  const { organizationId } = party
  return notingLogoutDenial(deps, [party], visit, async () =>
    deps.store.tenant(organizationId, async (tenant) => {
      // Twice as long as it is valid, so that a clock that is set back does not allow a replay.
      const until = new Date(message.issuedAt.getTime() + 2 * logoutAgeMs)
      if (!(await samlRequests(tenant).see(message.id, until))) throw new SamlRefusal('replayed')
      const ended = await revoke(tenant, message)
      const actor = actorOfProvider(message.issuer, visit)
      await auditLog(tenant, actor).record('saml.logout', {
        detail: {
          sessionIds: ended.map(({ id }) => id),
          userIds: [...new Set(ended.map(({ userId }) => userId))],
          indexes: message.sessionIndexes.length,
        },
      })
      return ended.length
    }),
  )
}

async function revoke(tenant: Tenant, message: LogoutRequest) {
  const sessions = samlSessions(tenant)
  const { nameId, sessionIndexes } = message
  return sessionIndexes.length === 0
    ? sessions.endAll(nameId.value)
    : sessions.end(nameId.value, sessionIndexes)
}

/** Answers as the service provider that had the session; if none had one, as the first candidate. */
async function answer(
  deps: Deps,
  {
    message,
    outcome,
    ended,
    received,
    visit,
  }: {
    message: LogoutRequest
    outcome: LogoutOutcome
    ended: readonly Ended[]
    received: ReceivedMessage
    visit: SamlVisit
  },
): Promise<Onward> {
  const party = (ended.find(({ count }) => count > 0) ?? ended[0])?.party
  const destination = party?.sloResponseUrl ?? party?.sloUrl
  const key =
    party && (await deps.store.tenant(party.organizationId, async (tenant) => findSpKey(tenant)))
  if (!party || !destination || !key) return { location: '/login' }
  const xml = logoutResponse(
    {
      id: newMessageId(),
      issuer: spAddresses(visit.origin, party.slug).entityId,
      destination,
      now: new Date(),
    },
    { inResponseTo: message.id, outcome },
  )
  const { relayState } = received
  return signedMessage(deps, key, {
    kind: 'SAMLResponse',
    xml,
    destination,
    relayState,
    binding: party.sloBinding,
  })
}
