import { letter, type Letter } from '../letter.ts'

/** The token is in the fragment of the link: browsers do not send it, so no server log and no Referer contains it. */
export const passwordResetLetter = (about: {
  baseUrl: string
  organizationName: string
  token: string
  minutes: number
}): Letter =>
  letter(`Reset your password for ${about.organizationName} on cloud-control`, [
    `Somebody requested a new password for your account at ${about.organizationName}.`,
    `If it was you, open this link within ${about.minutes} minutes and choose a new password:`,
    { link: `${about.baseUrl}/password/reset#${about.token}`, label: 'Choose a new password' },
    `To do this without a browser, send the new password and this token in a POST request to ${about.baseUrl}/api/auth/password/reset`,
    { code: about.token },
    'The link works once. A new password ends all your sessions. If it was not you, ignore this mail: your password does not change.',
  ])
