import { letter, type Letter } from '../letter.ts'

/** So that the person notices an attacker who takes over the account by removing its second factor. */
export const secondFactorRemovedLetter = (about: {
  baseUrl: string
  organizationName: string
  removedBy: string
}): Letter =>
  letter(`Your second factor at ${about.organizationName} was removed`, [
    `${about.removedBy} removed the second factor of your account at ${about.organizationName}. Your recovery codes no longer work, and your sessions are ended.`,
    'Your password alone signs you in now. Sign in and set up a second factor again:',
    { link: `${about.baseUrl}/account`, label: 'Open your account' },
    'If you did not expect this, tell your administrator.',
  ])
