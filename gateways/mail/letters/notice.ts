import { letter, type Letter } from '../letter.ts'

/** The mail of one event of a channel. Its texts can come from a bill: `letter` makes one line of each. */
export const noticeLetter = (about: {
  baseUrl: string
  organizationName: string
  channelName: string
  title: string
  lines: readonly string[]
  path: string
}): Letter =>
  letter(`${about.title} (${about.organizationName})`, [
    `${about.title}.`,
    ...about.lines,
    { link: `${about.baseUrl}${about.path}`, label: 'Open in the console' },
    `You get this mail because of the notification ${about.channelName} of ${about.organizationName}.`,
  ])
