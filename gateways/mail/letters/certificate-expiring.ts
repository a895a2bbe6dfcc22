import { letter, type Letter } from '../letter.ts'

export const certificateExpiringLetter = (about: {
  baseUrl: string
  organizationName: string
  idpEntityId: string
  fingerprint: string
  notAfter: Date
  /** Whether nobody can sign in by single sign-on once it has ended. */
  isLast: boolean
  now: Date
}): Letter => {
  const { organizationName, notAfter, now } = about
  const over = notAfter <= now
  const day = notAfter.toISOString().slice(0, 10)
  return letter(
    `A single sign-on certificate of ${organizationName} ${over ? 'expired' : 'expires'} on ${day}`,
    [
      `The certificate by which ${organizationName} believes its identity provider ${about.idpEntityId} ${over ? 'expired' : 'expires'} on ${day}. Its SHA-256 fingerprint:`,
      { code: about.fingerprint },
      about.isLast
        ? 'There is no other that lasts longer. Ask your identity provider for the next certificate, and save it beside this one before the provider changes over.'
        : 'Another one is saved that lasts longer. Take this one away once your identity provider no longer signs with it.',
      { link: `${about.baseUrl}/organization`, label: 'Open the organization' },
    ],
  )
}
