import { letter, type Letter } from '../letter.ts'

/** The token is after `#`, which browsers do not send, so no server's log and no Referer has it. */
export const passwordResetLetter = (about: {
  baseUrl: string
  organizationName: string
  token: string
  minutes: number
}): Letter =>
  letter(`A new password for ${about.organizationName} on cloud-control`, [
    `Somebody, you we hope, asked for a new password of your account at ${about.organizationName}.`,
    `Follow this link within ${about.minutes} minutes and choose a new one:`,
    { link: `${about.baseUrl}/password/reset#${about.token}`, label: 'Choose a new password' },
    `Without a browser: send the new password and this token to ${about.baseUrl}/api/auth/password/reset`,
    { code: about.token },
    'The link works once, and ends all your sessions. If it was not you, do nothing: your password stays as it is.',
  ])
