import { letter, type Letter } from '../letter.ts'

export const notificationDisabledLetter = (about: {
  baseUrl: string
  organizationName: string
  channelName: string
  /** The channel's address, shortened. */
  address: string
  reason: string | null
}): Letter =>
  letter(`The notification ${about.channelName} of ${about.organizationName} was disabled`, [
    `${about.address} answered that the address of the notification ${about.channelName} is gone for good, so the notification was disabled. Messages that waited for it are not sent.`,
    ...(about.reason === null ? [] : [`The reason: ${about.reason}`]),
    'Correct the address and resume the notification, or delete it.',
    { link: `${about.baseUrl}/organization`, label: 'Open the organization' },
  ])
