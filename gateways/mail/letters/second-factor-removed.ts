import { letter, type Letter } from '../letter.ts'

/** Tells the person about the removal: an attacker could remove the second factor to take over the account. */
export const secondFactorRemovedLetter = (about: {
  baseUrl: string
  organizationName: string
  removedBy: string
}): Letter =>
  letter(`Your second factor at ${about.organizationName} was removed`, [
    `${about.removedBy} removed the second factor of your account at ${about.organizationName}. Your recovery codes no longer work, and all your sessions have ended.`,
    'You can now sign in with your password alone. Sign in and set up a second factor again:',
    { link: `${about.baseUrl}/account`, label: 'Open your account' },
    'If you did not expect this, contact an administrator of your organization.',
  ])
