import { hashCredential } from '../../domain/access/credentials.ts'
import { openInvitation, type OpenInvitation } from '../../store/platform/open-invitation.ts'
import type { Deps } from '../deps.ts'
import { invitationInvalid } from './refusals.ts'

/** What an invitation is to, for the person who holds its token. Changes nothing. */
export async function lookAtInvitation(deps: Deps, token: string): Promise<OpenInvitation> {
  const found = await openInvitation(deps.store.platform, hashCredential(token))
  if (!found) throw invitationInvalid()
  return found
}
