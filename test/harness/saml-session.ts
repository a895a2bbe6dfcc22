import { newSecret } from '../../domain/access/credentials.ts'
import type { Role } from '../../domain/access/roles.ts'
import type { Harness } from './create-harness.ts'

/** Inserts a session as a SAML sign-in does, without the sign-in, and returns its cookie. */
// oxlint-disable-next-line max-params -- a place, a person, and what the session may do
export async function samlSessionOf(
  { deps, secrets }: Harness,
  organizationId: number,
  userId: number,
  roleCeiling: Role = 'Owner',
): Promise<string> {
  const secret = newSecret()
  secrets.note('a session', secret.plain)
  await deps.store.platform('sessions').insert({
    organizationId,
    userId,
    tokenHash: secret.hash,
    ip: '127.0.0.1',
    userAgent: 'test',
    expiresAt: deps.store.platform.raw(`now() + interval '1 day'`),
    kind: 'saml',
    roleCeiling,
  })
  return secret.plain
}
