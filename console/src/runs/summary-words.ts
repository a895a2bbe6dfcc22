import type { Run } from '../api/types.ts'
import { plural } from '../api/words.ts'

type Counts = NonNullable<Run['summary']>

const words = {
  planned: ['to import', 'to add', 'to change', 'to destroy'],
  done: ['imported', 'added', 'changed', 'destroyed'],
} as const

/** The counts of a plan in words, as OpenTofu writes them: imports only where there are some. */
export function summaryInWords(
  { import: imported = 0, add, change, destroy }: Counts,
  tense: keyof typeof words,
): string {
  return [imported, add, change, destroy]
    .map((count, at) => ({ count, word: words[tense][at] }))
    .slice(imported > 0 ? 0 : 1)
    .map(
      ({ count, word }, at) =>
        `${at === 0 ? plural(count, 'resource') : count.toLocaleString()} ${word}`,
    )
    .join(', ')
}
