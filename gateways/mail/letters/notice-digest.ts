import { letter, type Letter } from '../letter.ts'

type Entry = { title: string; lines: readonly string[] }

/** More than this are counted, so that a mail stays readable. */
const mostEntries = 50

/** The events of the last day, in one mail. */
export const noticeDigestLetter = (about: {
  baseUrl: string
  organizationName: string
  entries: readonly Entry[]
}): Letter => {
  const { entries, organizationName } = about
  const count = entries.length === 1 ? '1 event' : `${entries.length} events`
  const rest = entries.length - mostEntries
  return letter(`Daily digest of ${organizationName}: ${count}`, [
    `This happened in ${organizationName} since the last digest.`,
    ...entries
      .slice(0, mostEntries)
      .map(({ title, lines: [first] }) => (first ? `${title}. ${first}` : `${title}.`)),
    ...(rest > 0 ? [`${rest} more are in the console.`] : []),
    { link: `${about.baseUrl}/`, label: 'Open the console' },
  ])
}
