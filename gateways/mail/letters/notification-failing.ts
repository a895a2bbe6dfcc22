import { letter, type Letter } from '../letter.ts'

export const notificationFailingLetter = (about: {
  baseUrl: string
  organizationName: string
  channelName: string
  /** The channel's address, shortened. */
  address: string
  since: Date
  reason: string | null
}): Letter =>
  letter(`The notification ${about.channelName} of ${about.organizationName} fails`, [
    `No message of the notification ${about.channelName} has been accepted by ${about.address} since ${about.since.toISOString()}.`,
    ...(about.reason === null ? [] : [`The last reason: ${about.reason}`]),
    'Each message is tried again for three days. Correct the address or disable the notification. You get no further mail until a message is accepted.',
    { link: `${about.baseUrl}/organization`, label: 'Open the organization' },
  ])
