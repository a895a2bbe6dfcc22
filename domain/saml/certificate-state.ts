export type CertificateState = 'valid' | 'expiring' | 'expired' | 'not_yet_valid'

/** How early an administrator is warned: changing a key involves the provider's side too. */
export const warnDays = 30

export function certificateState(
  { notBefore, notAfter }: { notBefore: Date; notAfter: Date },
  now: Date,
): CertificateState {
  if (notAfter <= now) return 'expired'
  if (notAfter.getTime() - now.getTime() < warnDays * 24 * 3_600_000) return 'expiring'
  return notBefore > now ? 'not_yet_valid' : 'valid'
}
