import type { LogoutMessage } from './read-logout-message.ts'
import { SamlRefusal } from './saml-refusal.ts'

const minuteMs = 60_000
const skewMs = minuteMs

/** How old (or early) a logout message may be, including clock skew. */
export const logoutAgeMs = 5 * minuteMs + skewMs

/** Checks that a logout message is for this service and valid now. */
export function judgeLogoutMessage(
  message: LogoutMessage,
  { sloUrl, now }: { sloUrl: string; now: Date },
): void {
  // Required, since the message is signed (SAML bindings 3.4.5.2, 3.5.5.2).
  if (message.destination !== sloUrl) throw new SamlRefusal('destination')
  const age = now.getTime() - message.issuedAt.getTime()
  if (Math.abs(age) > logoutAgeMs) throw new SamlRefusal('stale')
  const end = message.kind === 'SAMLRequest' ? message.expiresAt : undefined
  if (end && end.getTime() + skewMs <= now.getTime()) throw new SamlRefusal('expired')
}
