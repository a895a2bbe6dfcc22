import { letter, type Letter } from '../letter.ts'

export const passwordResetLetter = (about: {
  baseUrl: string
  organizationName: string
  token: string
  minutes: number
}): Letter =>
  letter(`A new password for ${about.organizationName} on cloud-control`, [
    `Somebody, you we hope, asked for a new password of your account at ${about.organizationName}.`,
    `Within ${about.minutes} minutes, send the new password and this token to ${about.baseUrl}/api/auth/password/reset`,
    { code: about.token },
    'The token works once, and ends all your sessions. If it was not you, do nothing: your password stays as it is.',
  ])
