import { letter, type Letter } from '../letter.ts'

export const certificateExpiringLetter = (about: {
  baseUrl: string
  organizationName: string
  idpEntityId: string
  fingerprint: string
  notAfter: Date
  /** No other saved certificate is valid for longer. */
  isLast: boolean
  now: Date
}): Letter => {
  const { organizationName, notAfter, now } = about
  const over = notAfter <= now
  const day = notAfter.toISOString().slice(0, 10)
  return letter(
    `A single sign-on certificate of ${organizationName} ${over ? 'expired' : 'expires'} on ${day}`,
    [
      `${organizationName} verifies single sign-on with a certificate of the identity provider ${about.idpEntityId}. This certificate ${over ? 'expired' : 'expires'} on ${day}. Its SHA-256 fingerprint:`,
      { code: about.fingerprint },
      about.isLast
        ? 'No saved certificate is valid for longer. Ask your identity provider for its next certificate, and save it in addition to this one before the provider starts to use it.'
        : 'Another saved certificate is valid for longer. Remove this one when your identity provider no longer signs with it.',
      { link: `${about.baseUrl}/organization`, label: 'Open the organization' },
    ],
  )
}
