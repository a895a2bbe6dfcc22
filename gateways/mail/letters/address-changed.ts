import { letter, type Letter } from '../letter.ts'

/** Goes to the old address, so that its owner notices an attacker who takes over the account by changing it. */
export const addressChangedLetter = (about: {
  organizationName: string
  changedBy: string
  from: string
  to: string | null
}): Letter =>
  letter(`Your address at ${about.organizationName} was changed`, [
    `${about.changedBy} changed the address of your account at ${about.organizationName} from ${about.from} to ${about.to ?? 'none'}.`,
    'You sign in with the new address from now on. Invitations and password resets that were sent to this one no longer work.',
    'If you did not expect this, tell your administrator.',
  ])
