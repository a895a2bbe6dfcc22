import { letter, type Letter } from '../letter.ts'

/** Contains a link and not the comment: a mailbox must not hold what a plan contains, and people quote from plans. */
export function runCommentedLetter(about: {
  runUrl: string
  organizationName: string
  /** `run #4 of demo-shop`. */
  run: string
  author: string
}): Letter {
  const { runUrl, organizationName, run, author } = about
  return letter(`${author} commented on ${run}`, [
    `${author} commented on ${run} (${organizationName}). You get this mail because you started the run, decided on it or commented on it.`,
    { link: runUrl, label: 'Read the comment' },
    'Further comments within ten minutes bring no further mail.',
  ])
}
