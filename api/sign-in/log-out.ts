import type { Caller } from '../../domain/access/caller.ts'
import { AppError } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { sessions } from '../../store/users/sessions.ts'
import type { Deps } from '../deps.ts'
import { logoutQuestion, noteLogoutQuestion, type LogoutQuestion } from '../saml/ask-for-logout.ts'

/**
 * Ends the session before the identity provider is asked, so that it is over whatever the provider
 * answers. Returns the address that continues the logout there.
 */
export async function logOut(deps: Deps, caller: Caller, origin: string): Promise<string | null> {
  const { organizationId } = caller
  const question = await deps.store.tenant(organizationId, async (tenant) => {
    const found = await noteLogoutQuestion(tenant, caller, origin)
    await sessions(tenant).revoke(caller.credentialId)
    await auditLog(tenant, actorOf(caller)).record('auth.logout', {
      detail: { singleLogout: found !== undefined },
    })
    return found
  })
  return question ? addressOf(deps, question, origin) : null
}

function addressOf(deps: Deps, question: LogoutQuestion, origin: string): string | null {
  // `redirectUrl` cannot be a form, so the browser fetches a page with it.
  if (question.binding === 'post')
    return `${origin}/api/auth/saml/slo/request?state=${question.state}`
  try {
    const onward = logoutQuestion(deps, question)
    return 'location' in onward ? onward.location : null
  } catch (error) {
    // The signing key is not available. The local session ends without it.
    if (!(error instanceof AppError) || error.fault !== 'unavailable') throw error
    deps.log.warn({ err: error, organizationId: question.key.organizationId }, 'no single logout')
    return null
  }
}
