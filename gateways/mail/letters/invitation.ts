import { letter, type Letter } from '../letter.ts'

/** The token is after `#`, which browsers do not send, so no server's log and no Referer has it. */
export const invitationLetter = (about: {
  baseUrl: string
  organizationName: string
  inviter: string
  token: string
}): Letter =>
  letter(`You are invited to ${about.organizationName} on cloud-control`, [
    `${about.inviter} invites you to ${about.organizationName}.`,
    'Follow this link and choose your password within 7 days:',
    {
      link: `${about.baseUrl}/invitations/accept#${about.token}`,
      label: 'Accept the invitation',
    },
    `Without a browser: send the password and this token to ${about.baseUrl}/api/auth/invitations/accept`,
    { code: about.token },
    'The link works once. If you did not expect this mail, do nothing.',
  ])
