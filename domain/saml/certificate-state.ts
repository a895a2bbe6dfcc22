export type CertificateState = 'valid' | 'expiring' | 'expired' | 'not_yet_valid'

/** How long ahead an administrator is told: changing a key needs somebody at the provider's side too. */
export const warnDays = 30

export function certificateState(
  { notBefore, notAfter }: { notBefore: Date; notAfter: Date },
  now: Date,
): CertificateState {
  if (notAfter <= now) return 'expired'
  if (notAfter.getTime() - now.getTime() < warnDays * 24 * 3_600_000) return 'expiring'
  return notBefore > now ? 'not_yet_valid' : 'valid'
}
