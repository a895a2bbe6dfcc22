import { letter, type Letter } from '../letter.ts'

/** Goes to the old address: an attacker could change the address to take over the account unnoticed. */
export const addressChangedLetter = (about: {
  organizationName: string
  changedBy: string
  from: string
  to: string | null
}): Letter =>
  letter(`Your email address at ${about.organizationName} was changed`, [
    `${about.changedBy} changed the email address of your account at ${about.organizationName} from ${about.from} to ${about.to ?? 'none'}.`,
    'From now on, sign in with the new address. Invitation and password reset links that were sent to the old address no longer work.',
    'If you did not expect this, contact an administrator of your organization.',
  ])
