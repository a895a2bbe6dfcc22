import { letter, type Letter } from '../letter.ts'

/** The token is in the fragment of the link: browsers do not send it, so no server log and no Referer contains it. */
export const invitationLetter = (about: {
  baseUrl: string
  organizationName: string
  inviter: string
  token: string
}): Letter =>
  letter(`You are invited to ${about.organizationName} on cloud-control`, [
    `${about.inviter} invited you to the organization ${about.organizationName}.`,
    'To accept, open this link and choose a password within 7 days:',
    {
      link: `${about.baseUrl}/invitations/accept#${about.token}`,
      label: 'Accept the invitation',
    },
    `To accept without a browser, send the password and this token in a POST request to ${about.baseUrl}/api/auth/invitations/accept`,
    { code: about.token },
    'The link works once. If you did not expect this invitation, ignore this mail.',
  ])
