import { judgeLogoutMessage } from '../../domain/saml/judge-logout-message.ts'
import type { LogoutOutcome } from '../../domain/saml/logout-status.ts'
import type { LogoutResponse } from '../../domain/saml/read-logout-message.ts'
import type { ReceivedMessage } from '../../domain/saml/receive-logout-message.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { spAddresses } from '../../domain/saml/sp-addresses.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { saml, type FoundRequest } from '../../store/platform/saml.ts'
import { samlConfigurations } from '../../store/saml/saml-configurations.ts'
import { samlRequests } from '../../store/saml/saml-requests.ts'
import type { Deps } from '../deps.ts'
import { actorOfProvider, notingLogoutDenial, type SamlVisit } from './note-refusal.ts'
import type { Onward } from './signed-message.ts'

const landing: Record<LogoutOutcome, string> = {
  success: '/login?signedout=1',
  partial: '/login?signedout=partial',
  failed: '/login?signedout=failed',
}

const event: Record<LogoutOutcome, string> = {
  success: 'saml.logout_completed',
  partial: 'saml.logout_partial',
  failed: 'saml.logout_failed',
}

/**
 * The identity provider's answer to a logout that began here. The session ended before the provider
 * was asked, so the answer only decides which page the person sees.
 */
export async function takeLogoutResponse(
  deps: Deps,
  received: ReceivedMessage,
  visit: SamlVisit,
): Promise<Onward> {
  const { claimed } = received
  if (claimed.kind !== 'SAMLResponse') throw new SamlRefusal('message_type')
  // A response to no request of ours is refused before its signature is verified.
  const request = await saml(deps.store.platform).request(claimed.inResponseTo)
  if (request?.kind !== 'logout') throw new SamlRefusal('request_unknown')
  return notingLogoutDenial(deps, [request], visit, async () => {
    const message = await verify(deps, { received, request, visit })
    await take(deps, { message, request, visit })
    return { location: landing[message.outcome] }
  })
}

type Step = { request: FoundRequest; visit: SamlVisit }

async function verify(
  deps: Deps,
  { received, request, visit }: Step & { received: ReceivedMessage },
): Promise<LogoutResponse> {
  const { organizationId } = request
  const { configuration, certificates } = await deps.store.tenant(
    organizationId,
    async (tenant) => {
      const rows = samlConfigurations(tenant)
      return { configuration: await rows.find(), certificates: await rows.certificates() }
    },
  )
  const { message } = received.verify(certificates.map(({ pem }) => pem))
  if (message.kind !== 'SAMLResponse' || message.inResponseTo !== request.id)
    throw new SamlRefusal('in_response_to')
  if (message.issuer !== configuration?.idpEntityId) throw new SamlRefusal('issuer')
  judgeLogoutMessage(message, { sloUrl: spAddresses(visit.origin).sloUrl, now: new Date() })
  return message
}

async function take(
  deps: Deps,
  { message, request, visit }: Step & { message: LogoutResponse },
): Promise<void> {
  const { organizationId, userId } = request
  await deps.store.tenant(organizationId, async (tenant) => {
    const taken = await samlRequests(tenant).take(request.id, ['logout'])
    if (!taken) throw new SamlRefusal('replayed')
    await auditLog(tenant, actorOfProvider(message.issuer, visit)).record(event[message.outcome], {
      outcome: message.outcome === 'success' ? 'success' : 'failure',
      ...(userId !== null && { target: { kind: 'user', id: userId } }),
    })
  })
}
